"""Mail that a person receives: reading a raw message, its mailbox, and where it is kept."""
