"""`/functions/v1`: runs the product's functions, found by their slug. A function imports `backend.edge.api` only."""
