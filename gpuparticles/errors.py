"""The exceptions that gpuparticles raises; nothing else lives here.

::

    ParticlesError
    ├── EffectError (also ValueError)   an effect that cannot be played as described
    ├── DocumentError                   an effect file that cannot be read or written
    ├── ImportFormatError               another tool's file that cannot be imported
    ├── ShaderError                     shader text that cannot be composed or compiled
    ├── ContextError                    a GL context that cannot do what is asked
    └── MissingExtraError               an optional dependency that is not installed

Every message is one sentence: where, what was given, what is allowed.
"""

from __future__ import annotations

__all__ = [
    "ContextError",
    "DocumentError",
    "EffectError",
    "ImportFormatError",
    "MissingExtraError",
    "ParticlesError",
    "ShaderError",
]


class ParticlesError(Exception):
    """The base of every error that gpuparticles raises on purpose."""


class EffectError(ParticlesError, ValueError):
    """A description of an effect, or a call on a playing one, that makes no sense."""


class DocumentError(ParticlesError):
    """An effect file that cannot be read or written.

    Args:
        errors: One sentence per mistake, each beginning with its place in the file.
    """

    def __init__(self, *errors: str) -> None:
        super().__init__("\n".join(errors))
        self.errors = errors


class ImportFormatError(ParticlesError):
    """Another tool's file that cannot be understood."""


class ShaderError(ParticlesError):
    """Shader text that cannot be composed, or that the driver refuses."""


class ContextError(ParticlesError):
    """No OpenGL, too little of it, or a context that is not the one expected."""


class MissingExtraError(ParticlesError):
    """An optional dependency that is not installed; the message has the pip command."""
