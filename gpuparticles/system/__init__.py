"""Effects playing in a context: play, crowd, burst, update, draw, release."""

from gpuparticles.system.crowds import EffectCrowd
from gpuparticles.system.effects import EffectInstance
from gpuparticles.system.emitters import EmitterInstance
from gpuparticles.system.system import ParticleSystem, Stats

__all__ = ["EffectCrowd", "EffectInstance", "EmitterInstance", "ParticleSystem", "Stats"]
