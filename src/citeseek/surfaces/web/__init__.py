"""What the surfaces over HTTP share."""
