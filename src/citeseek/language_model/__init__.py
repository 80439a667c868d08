"""The language model: which one, its options and failures, and what its text passes through."""
