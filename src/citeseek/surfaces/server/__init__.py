"""The server: what stands around the API and the page, and lets nobody else in."""
