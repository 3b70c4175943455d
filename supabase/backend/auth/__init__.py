"""The auth service: GoTrue's protocol, so that the official clients work unchanged (prefix /auth/v1)."""
