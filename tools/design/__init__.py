"""Every part of the page in every state on one page, for whoever works on how it looks."""
