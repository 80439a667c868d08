"""Reading what servers send: HTML, JSON, encodings, dates."""
