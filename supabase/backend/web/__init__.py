"""The built web client, served from memory."""
