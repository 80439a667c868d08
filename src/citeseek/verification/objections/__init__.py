"""What may speak against a claim in a passage that says nearly the same, each in a file."""
