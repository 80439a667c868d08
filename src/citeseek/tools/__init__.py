"""Tools for language models: what they are called, what they take, and what they give back."""
