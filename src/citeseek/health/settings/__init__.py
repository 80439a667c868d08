"""What is wrong with the settings, and where."""
