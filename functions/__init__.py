"""The product's server code: one edge function per file or folder, what two of them share in `_shared`."""
