"""The server: what stands around the API and the page."""
