"""WhatsApp through Meta's Cloud API: connected numbers and what Meta delivers about them."""
