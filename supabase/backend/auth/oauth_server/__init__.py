"""OAuth 2.1 for other applications: they sign people in with our accounts (api-reference 2.15)."""
