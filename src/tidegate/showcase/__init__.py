"""The product, run on made worlds."""
