"""The REST API under ``/api/v1``; the chat page is one of its clients."""
