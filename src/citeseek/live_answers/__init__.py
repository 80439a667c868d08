"""Answers under way in a server: made here or by another process, followed and stopped from any."""
