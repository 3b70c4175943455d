"""Set-up, supervision and chores around the product; nothing in here runs in production."""
