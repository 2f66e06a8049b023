"""Shader text: found, composed and diagnosed. Strings in, strings out; no GL here."""

from gpuparticles.shaders.compose import birth, blend, move, shift, sprite, update
from gpuparticles.shaders.diagnose import diagnose
from gpuparticles.shaders.layout import Block, Channel, channels, emitter_block
from gpuparticles.shaders.sources import Source
from gpuparticles.shaders.text import EmitterText, OrderText, Pass, emitter_text

__all__ = [
    "Block",
    "Channel",
    "EmitterText",
    "OrderText",
    "Pass",
    "Source",
    "birth",
    "blend",
    "channels",
    "diagnose",
    "emitter_block",
    "emitter_text",
    "move",
    "shift",
    "sprite",
    "update",
]
