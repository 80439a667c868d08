"""The chat page: server-rendered, kept up to date by a stream of what changed."""
