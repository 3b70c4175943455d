"""Serve OAuth 2.1: other applications sign people in with our accounts (AUTH-26)."""
