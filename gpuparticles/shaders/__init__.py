"""Shader text: found, composed and diagnosed. Strings in, strings out; no GL here."""

from gpuparticles.shaders.births import birth
from gpuparticles.shaders.diagnose import diagnose
from gpuparticles.shaders.layout import Block, Channel, channels, emitter_block
from gpuparticles.shaders.sources import Source
from gpuparticles.shaders.sprites import composite, sprite
from gpuparticles.shaders.text import (
    EmitterText,
    OrderText,
    Pass,
    RibbonText,
    TrailText,
    emitter_text,
)
from gpuparticles.shaders.updates import update
from gpuparticles.shaders.upkeep import blend, gather, move, shift

__all__ = [
    "Block",
    "Channel",
    "EmitterText",
    "OrderText",
    "Pass",
    "RibbonText",
    "Source",
    "TrailText",
    "birth",
    "blend",
    "channels",
    "composite",
    "diagnose",
    "emitter_block",
    "emitter_text",
    "gather",
    "move",
    "shift",
    "sprite",
    "update",
]
