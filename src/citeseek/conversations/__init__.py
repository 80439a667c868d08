"""What a conversation is made of, and what keeps it between visits."""
