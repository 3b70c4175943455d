"""The product's background jobs, one file each; the worker finds them here (backend.edge.api says how)."""
