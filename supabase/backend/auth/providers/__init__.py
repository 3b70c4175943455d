"""Accounts elsewhere as a way in: which providers there are, and how they are spoken to."""
