"""Keeps a set of processes alive: starts, waits for health, restarts, stops; knows nothing of the product."""
