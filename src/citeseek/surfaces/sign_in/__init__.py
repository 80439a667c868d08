"""Signing in with an account elsewhere: by OpenID Connect, and at GitHub."""
