"""Pixels: draws particles straight from their state textures."""
