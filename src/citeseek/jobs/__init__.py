"""Work that takes longer than a request: many questions, answered one beside the other."""
