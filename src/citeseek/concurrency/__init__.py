"""Event loops, threads, deadlines, work that is shared."""
