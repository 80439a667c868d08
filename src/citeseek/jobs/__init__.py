"""Work that takes longer than a request: many questions of a file, and reports that are kept."""
