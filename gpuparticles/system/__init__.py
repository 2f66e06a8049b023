"""Effects playing in a context: play, burst, update, draw, release."""

from gpuparticles.system.effects import EffectInstance
from gpuparticles.system.emitters import EmitterInstance
from gpuparticles.system.system import ParticleSystem, Stats

__all__ = ["EffectInstance", "EmitterInstance", "ParticleSystem", "Stats"]
