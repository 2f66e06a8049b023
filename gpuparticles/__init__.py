"""GPU-resident particle effects for moderngl.

Public names load on first use, so that importing the package costs next to nothing and
needs neither OpenGL nor a driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gpuparticles.content import preset, presets
    from gpuparticles.draw.camera import look_at, orthographic, perspective
    from gpuparticles.draw.filters import Bloom, Blur, ColorMatrix, Distortion, Pixelate
    from gpuparticles.draw.layers import Layer
    from gpuparticles.effect import (
        Acceleration,
        Array,
        Attractor,
        Box,
        Burst,
        Circle,
        CollideBox,
        CollideDepth,
        CollideField,
        CollideHeight,
        CollidePlane,
        CollideSphere,
        Cone,
        ConformToSphere,
        Curve,
        Cylinder,
        Drag,
        Effect,
        Emitter,
        Flipbook,
        Geometry,
        Gradient,
        Grid,
        Image,
        KillBox,
        KillPlane,
        KillSphere,
        Light,
        Line,
        Lit,
        Mesh,
        Model,
        Offset,
        Orbit,
        Parameter,
        Point,
        Points,
        Polyline,
        Process,
        Pulse,
        Radial,
        Range,
        Ribbon,
        Shader,
        ShaderFilter,
        SpeedLimit,
        Sphere,
        Sprite,
        Torus,
        Trail,
        Turbulence,
        Uniform,
        VectorField,
        VelocityLimit,
        VelocityOverLife,
        Vortex,
        Wind,
        Wrap,
        load,
        modifier,
        save,
        schema,
        shape,
    )
    from gpuparticles.errors import (
        ContextError,
        DocumentError,
        EffectError,
        ImportFormatError,
        MissingExtraError,
        ParticlesError,
        ShaderError,
    )
    from gpuparticles.gpu import create_context
    from gpuparticles.record import measure_bounds
    from gpuparticles.system import EffectCrowd, EffectInstance, EmitterInstance, ParticleSystem

_HOMES = {
    "gpuparticles.content": "preset presets",
    "gpuparticles.draw.camera": "look_at orthographic perspective",
    "gpuparticles.draw.filters": "Bloom Blur ColorMatrix Distortion Pixelate",
    "gpuparticles.draw.layers": "Layer",
    "gpuparticles.effect": (
        "Acceleration Array Attractor Box Burst Circle CollideBox CollideDepth CollideField "
        "CollideHeight CollidePlane CollideSphere Cone ConformToSphere Curve Cylinder Drag Effect "
        "Emitter Flipbook Geometry Gradient Grid Image KillBox KillPlane KillSphere Light Line "
        "Lit Mesh Model Offset Orbit Parameter Point Points Polyline Process Pulse Radial Range "
        "Ribbon Shader ShaderFilter SpeedLimit Sphere Sprite Torus Trail Turbulence Uniform "
        "VectorField VelocityLimit VelocityOverLife Vortex Wind Wrap load modifier save schema "
        "shape"
    ),
    "gpuparticles.errors": (
        "ContextError DocumentError EffectError ImportFormatError MissingExtraError "
        "ParticlesError ShaderError"
    ),
    "gpuparticles.gpu": "create_context",
    "gpuparticles.record": "measure_bounds",
    "gpuparticles.system": "EffectCrowd EffectInstance EmitterInstance ParticleSystem",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Acceleration",
    "Array",
    "Attractor",
    "Bloom",
    "Blur",
    "Box",
    "Burst",
    "Circle",
    "CollideBox",
    "CollideDepth",
    "CollideField",
    "CollideHeight",
    "CollidePlane",
    "CollideSphere",
    "ColorMatrix",
    "Cone",
    "ConformToSphere",
    "ContextError",
    "Curve",
    "Cylinder",
    "Distortion",
    "DocumentError",
    "Drag",
    "Effect",
    "EffectCrowd",
    "EffectError",
    "EffectInstance",
    "Emitter",
    "EmitterInstance",
    "Flipbook",
    "Geometry",
    "Gradient",
    "Grid",
    "Image",
    "ImportFormatError",
    "KillBox",
    "KillPlane",
    "KillSphere",
    "Layer",
    "Light",
    "Line",
    "Lit",
    "Mesh",
    "MissingExtraError",
    "Model",
    "Offset",
    "Orbit",
    "Parameter",
    "ParticleSystem",
    "ParticlesError",
    "Pixelate",
    "Point",
    "Points",
    "Polyline",
    "Process",
    "Pulse",
    "Radial",
    "Range",
    "Ribbon",
    "Shader",
    "ShaderError",
    "ShaderFilter",
    "SpeedLimit",
    "Sphere",
    "Sprite",
    "Torus",
    "Trail",
    "Turbulence",
    "Uniform",
    "VectorField",
    "VelocityLimit",
    "VelocityOverLife",
    "Vortex",
    "Wind",
    "Wrap",
    "__version__",
    "create_context",
    "load",
    "look_at",
    "measure_bounds",
    "modifier",
    "orthographic",
    "perspective",
    "preset",
    "presets",
    "save",
    "schema",
    "shape",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
