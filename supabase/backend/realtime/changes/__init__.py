"""Changes of tables, told to whoever may see the row. `types` holds what the channels and this package share."""
