"""Shader text: found, composed and diagnosed. Strings in, strings out; no GL here."""

from gpuparticles.shaders.compose import birth, shift, sprite, update
from gpuparticles.shaders.diagnose import diagnose
from gpuparticles.shaders.layout import Block, Channel, channels, emitter_block
from gpuparticles.shaders.sources import Source

__all__ = [
    "Block",
    "Channel",
    "Source",
    "birth",
    "channels",
    "diagnose",
    "emitter_block",
    "shift",
    "sprite",
    "update",
]
