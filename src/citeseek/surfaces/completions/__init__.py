"""The cited assistant as an OpenAI-compatible server: ``/v1/chat/completions``."""
