"""Cannot be loaded: the answer comes from the relay."""

raise RuntimeError("as meant")
