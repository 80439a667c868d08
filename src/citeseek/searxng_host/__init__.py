"""A SearXNG of one's own: its files, run with Docker Compose or in an environment of its own.

SearXNG is a program of its own (AGPL-3.0): it is started and asked over HTTP, never imported.
"""
