"""Effects playing in a context: play, burst, update, draw, release."""

from gpuparticles.system.instances import EffectInstance, EmitterInstance
from gpuparticles.system.system import ParticleSystem, Stats

__all__ = ["EffectInstance", "EmitterInstance", "ParticleSystem", "Stats"]
