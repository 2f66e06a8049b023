"""Resources: moderngl starts here. The guard, programs, state and simulation passes."""

from gpuparticles.gpu.context import check_context, create_context

__all__ = ["check_context", "create_context"]
