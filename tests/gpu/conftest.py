"""Builders that the tests of the simulation share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin

import moderngl
import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError

import gpuparticles as gp
from gpuparticles.draw.camera import orthographic
from gpuparticles.effect import Collision, Kind, Modifier, Rule, Scaled
from gpuparticles.effect.arrays import Rows
from gpuparticles.effect.description import rule_of
from gpuparticles.effect.geometry import GeometryRule
from gpuparticles.gpu.simulate import Simulation
from gpuparticles.playback.place import rotate
from gpuparticles.playback.reference import Reference

Floats = NDArray[np.float32]


@pytest.fixture
def system(ctx: moderngl.Context) -> Iterator[Callable[..., gp.ParticleSystem]]:
    """``system(max_step=..., seed=...)``: a particle system that is released after the test."""
    made: list[gp.ParticleSystem] = []

    def make(**settings: Any) -> gp.ParticleSystem:
        made.append(gp.ParticleSystem(ctx, **settings))
        return made[-1]

    yield make
    for particles in made:
        particles.release()


@pytest.fixture
def one() -> Callable[..., gp.Effect]:
    """``one(capacity=..., ...)``: an effect whose only emitter, "it", has these settings.

    Unless given, the rate is 0 and the effect does not loop.
    """

    def make(*, loop: bool = False, duration: float = 5.0, **settings: Any) -> gp.Effect:
        effect_modifiers = settings.pop("effect_modifiers", ())
        emitter = gp.Emitter("it", **{"rate": 0.0, **settings})
        return gp.Effect(
            "test", [emitter], duration=duration, loop=loop, modifiers=effect_modifiers
        )

    return make


@pytest.fixture
def state() -> Callable[..., tuple[Floats, Floats]]:
    """``state(emitter)``: position and age, velocity and rotation (in turns), each (slots, 4).

    Of every slot in the rows in use, or of the first ``slots``; the dead keep their last state.
    """

    def read(emitter: gp.EmitterInstance, slots: int | None = None) -> tuple[Floats, Floats]:
        simulation = emitter._simulation
        if simulation.state is None:
            return np.empty((0, 4), np.float32), np.empty((0, 4), np.float32)
        if slots is None:
            slots = simulation.rows * simulation.state.width
        guard = emitter._scene.guard
        with guard:
            guard.simulate()
            position_age, velocity_rotation = (
                np.frombuffer(texture.read(), np.float32).reshape(-1, 4)[:slots]
                for texture in simulation.state.current
            )
        return position_age, velocity_rotation

    return read


LIVING = np.dtype(
    [
        ("slot", "i8"),
        ("position", "f4", 3),
        ("age", "f4"),
        ("velocity", "f4", 3),
        ("rotation", "f4"),
        ("lifetime", "f4"),
        ("seed", "u4"),
        ("instance", "u4"),
    ]
)


@pytest.fixture
def contents() -> Callable[[gp.EmitterInstance], list[bytes]]:
    """``contents(emitter)``: every byte that the GPU holds of its particles."""

    def read(emitter: gp.EmitterInstance) -> list[bytes]:
        simulation = emitter._simulation
        textures = simulation.state
        assert textures is not None
        with simulation._guard as guard:
            guard.simulate()
            sides = (*textures._sides[0], *textures._sides[1])
            return [texture.read() for texture in (*sides, *textures.birth.values())]

    return read


@pytest.fixture
def living() -> Callable[[Simulation], NDArray[Any]]:
    """``living(simulation)``: who lives, as the raw textures alone tell it, ordered by seed."""

    def read(simulation: Simulation) -> NDArray[Any]:
        textures = simulation.state
        if textures is None or not simulation.rows:
            return np.empty(0, LIVING)
        with simulation._guard as guard:
            guard.simulate()
            position_age, velocity_rotation, lifetime_seed = (
                np.frombuffer(texture.read(), dtype).reshape(-1, components)
                for texture, dtype, components in (
                    (textures.current[0], np.float32, 4),
                    (textures.current[1], np.float32, 4),
                    (textures.birth["lifetime_seed"], np.uint32, 2),
                )
            )
            owner = np.zeros(len(position_age), np.uint32)
            if "instance" in textures.birth:
                owner = np.frombuffer(textures.birth["instance"].read(), np.uint32)
        lifetime = np.ascontiguousarray(lifetime_seed[:, 0]).view(np.float32)
        age = position_age[:, 3]
        slots = np.flatnonzero((age >= 0) & (age < lifetime))
        slots = slots[slots < simulation.rows * textures.width]
        found = np.empty(len(slots), LIVING)
        found["slot"] = slots
        found["position"], found["age"] = position_age[slots, :3], age[slots]
        found["velocity"] = velocity_rotation[slots, :3]
        found["rotation"] = velocity_rotation[slots, 3]
        found["lifetime"], found["seed"] = lifetime[slots], lifetime_seed[slots, 1]
        found["instance"] = owner[slots]
        return found[np.argsort(found["seed"], kind="stable")]

    return read


Ways = dict[int, NDArray[np.float32]]


def ways(emitter: gp.EmitterInstance) -> Ways:
    """As `Reference.trails`, from the textures, the clock and the poses of the emitter."""
    simulation, player = emitter._simulation, emitter._player
    state, history, trail = simulation.state, simulation.history, emitter.emitter.trail
    assert history is not None
    assert trail is not None
    if state is None or not simulation.rows:
        return {}
    with simulation._guard as guard:
        guard.simulate()
        assert history._texture is not None
        position_age = np.frombuffer(state.current[0].read(), np.float32).reshape(-1, 4)
        velocity_rotation = np.frombuffer(state.current[1].read(), np.float32).reshape(-1, 4)
        lifetime_seed = np.frombuffer(state.birth["lifetime_seed"].read(), np.uint32)
        origin = np.frombuffer(state.birth["origin"].read(), np.uint32).reshape(-1, 4)
        kept = np.frombuffer(history._texture.read(), np.float32)
    marks, width = history.marks, state.width
    kept = kept.reshape(-1, marks.planes, width, 4)
    lifetime = lifetime_seed.reshape(-1, 2)[:, 0].copy().view(np.float32)
    last = marks.last(player.population.clock.now)
    found = {}
    for slot in range(min(simulation.rows * width, len(player.population.numbers))):
        age = position_age[slot, 3]
        if not 0 <= age < lifetime[slot] + np.float32(trail.lingers):
            continue
        first = max(int(origin[slot, 3]), last - marks.planes) + 1
        planes = np.arange(first, last + 1) % marks.planes
        if trail.min_distance:
            numbers, once = np.unique(
                kept[slot // width, planes, slot % width, 3], return_index=True
            )
            planes = planes[once[numbers > origin[slot, 3]]]
        way = kept[slot // width, planes, slot % width, :3]
        birthplace = origin[slot, :3].copy().view(np.float32)
        number = int(player.population.numbers[slot])
        found[number] = np.vstack([birthplace, way])
        if player.poses is not None:
            late = (age - lifetime[slot]) if age >= lifetime[slot] else 0.0
            grown = velocity_rotation[slot, 3] + late if age >= lifetime[slot] else age
            born = player.population.clock.now - grown * player.population.clock.per_second
            mark = int(origin[slot, 3])
            born = np.clip(born, mark * marks.every, (mark + 1) * marks.every)
            numbers = first + np.arange(last + 1 - first)
            if trail.min_distance:
                numbers = kept[slot // width, planes, slot % width, 3]
            places, turns = player.poses.at(np.append(born, numbers * marks.every))
            around = np.array(
                [
                    rotate(tuple(q), tuple(p))
                    for q, p in zip(turns, found[number].astype(float), strict=True)
                ]
            )
            found[number] = places + around
    return found


# Both sides do the same arithmetic in float32, but a driver may fuse, reorder and approximate it.
# A step rounds a position twice, by up to 2e-6 at 32 units: 1.2e-3 over 300 steps if all of it adds
# up, 3e-5 as it comes. Passing near a centre or an axis magnifies that, as it would in nature.
POSITION = 1e-3
VELOCITY = 1e-3
ROTATION = 1e-2  # degrees: half a turn of float32 is exact to 1e-5


def assert_same_particles(
    found: NDArray[np.void],
    expected: NDArray[np.void],
    look: float = 1e-6,
    rounded: Callable[[], list[NDArray[np.void]]] = list,
) -> None:
    """Records of the GPU are those of the reference.

    What is drawn or counted agrees to the bit, what is integrated to rounding; and so do size and
    colour, to `look`, where they depend on the speed. Where motion is chaos, rounding
    may have grown as far as it drives apart what `rounded` gives: the same particles of references
    that round otherwise. It is called only where the usual bound is not kept.
    """
    for name in ("number", "age", "lifetime"):
        assert np.array_equal(found[name], expected[name]), name
    for name in ("size", "width", "height", "color"):
        assert found[name] == pytest.approx(expected[name], rel=1e-5, abs=look), name
    for name, tolerance in (("position", POSITION), ("velocity", VELOCITY)):
        # Float32 is relative: what is farther away or faster is less exact.
        reach = 1 + np.abs(expected[name]).max(axis=1, initial=0) / 32
        off = np.abs(found[name] - expected[name]).max(axis=1, initial=0)
        bound = tolerance * reach
        if (off > bound).any():
            for other in rounded():
                own = np.abs(other[name] - expected[name]).max(axis=1, initial=0)
                bound = np.maximum(bound, 8 * own)  # a step rounds some eight times
        assert (off <= bound).all(), name
    turned = (found["rotation"] - expected["rotation"] + 180) % 360 - 180
    assert np.abs(turned).max(initial=0) <= ROTATION


class Rounded(Reference):
    """A reference whose places and velocities are rounded once more in each update, all one way."""

    def __init__(self, effect: gp.Effect, ways: tuple[int, int], **playing: Any) -> None:
        super().__init__(effect, **playing)
        self._factors = [np.float32(1 + way * np.finfo(np.float32).eps) for way in ways]

    def update(self, dt: float) -> None:
        """Advance."""
        super().update(dt)
        for state in self._states:
            state._position *= self._factors[0]
            state._velocity *= self._factors[1]


#: All the ways to round.
WAYS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


@pytest.fixture
def picture(ctx: moderngl.Context) -> Iterator[Callable[[gp.ParticleSystem], Floats]]:
    """``picture(particles)``: what they look like on black, of shape (64, 64, 4).

    It shows x and y from -10 to 10, looking down -Z.
    """
    texture = ctx.texture((64, 64), 4, dtype="f4")
    framebuffer = ctx.framebuffer([texture])

    def draw(particles: gp.ParticleSystem) -> Floats:
        framebuffer.use()
        framebuffer.clear()
        particles.draw(np.eye(4), orthographic(-10, 10, -10, 10, -100, 100))
        return np.frombuffer(texture.read(), np.float32).reshape(64, 64, 4)

    yield draw
    framebuffer.release()
    texture.release()


# Kinds as hypothesis may draw them: from what their fields say, so that no test lists the kinds.


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers between two others, and never round ones, at which forces may have no direction."""
    return st.integers(0, 996).map(lambda i: low + (high - low) * (i + 0.37) / 997)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a JSON Schema of a field allows."""
    match schema:
        case {"anyOf": several}:
            return st.one_of(*map(values, several))
        case {"type": "null"}:
            return st.none()
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "array", "items": item, "minItems": length}:
            most = schema.get("maxItems", length + 5)
            return st.lists(values(item), min_size=length, max_size=most)
        case {"enum": words}:
            return st.sampled_from(words)
        case {"type": "string"}:
            return st.nothing()  # the path of a file
        case {"type": "integer"}:
            return st.integers(schema.get("minimum", 0), min(schema.get("maximum", 9), 9))
        case {"type": "number"}:
            least = schema.get("minimum", -4.0)
            return numbers(least, schema.get("maximum", max(least + 3.0, 4.0)))
    raise AssertionError(f"no example of {schema}")


def accepts(rule: Rule, value: Any) -> bool:
    """Whether a field takes a value."""
    try:
        rule.read(value)
    except ValidationError:
        return False
    return True


def arrays(rule: Rows) -> st.SearchStrategy[Floats]:
    """Arrays of any shape that a field takes, of few numbers."""
    extents = st.tuples(*[st.integers(rule.least, rule.least + 2)] * rule.axes)
    row = (rule.columns,) * (rule.columns > 1)
    low = max(rule.low, -2.0)
    return st.tuples(extents, st.integers(0, 99)).map(
        lambda drawn: (
            np.random.default_rng(drawn[1])
            .uniform(low, low + 4, (*drawn[0], *row))
            .astype(np.float32)
        )
    )


def instances(cls: type[Kind]) -> st.SearchStrategy[Any]:
    """Any shape or modifier of a kind."""
    chosen: dict[str, st.SearchStrategy[Any]] = {}
    for name, info in cls.__pydantic_fields__.items():
        rule = rule_of(cls, name)
        if isinstance(rule, GeometryRule):
            chosen[name] = st.sampled_from(GEOMETRIES)
        elif get_origin(info.annotation) is Literal:
            chosen[name] = st.sampled_from(get_args(info.annotation))
        elif isinstance(rule, Rows) and rule.axes > 1:
            chosen[name] = arrays(rule)
        elif name == "frequency":
            # Fine noise is chaos, which magnifies rounding beyond any tolerance.
            chosen[name] = numbers(0.05, 0.6)
        elif name == "octaves":
            chosen[name] = st.integers(1, 2)
        elif name == "half" and issubclass(cls, Modifier):
            # So is a field whose samples lie close together.
            chosen[name] = st.lists(numbers(1, 4), min_size=3, max_size=3)
        elif rule is not None and name not in ("variation", "over_life"):
            chosen[name] = values(rule.schema()).filter(lambda v, rule=rule: accepts(rule, v))
    if cls in ALIKE:
        count = st.shared(st.integers(1, 9), key="rows")
        for name, columns in ALIKE[cls].items():
            row = st.lists(numbers(0.1, 2), min_size=columns, max_size=columns)
            rows = count.flatmap(lambda n, row=row: st.lists(row, min_size=n, max_size=n))
            chosen[name] = rows if name == "positions" else st.none() | rows
    if issubclass(cls, Collision):
        # What is larger than the hollow it is in trembles in its middle.
        chosen |= {name: numbers(0, 0.1) for name in ("particle_radius", "radius_factor")}
        if "radius" in chosen:
            chosen["radius"] = numbers(0.3, 3)
        # Whether the slowest of hits is one is up to rounding; what hits cost has its own test.
        chosen["lifetime_loss"] = st.just(0.0)
    if issubclass(cls, Scaled):
        chosen["variation"] = st.one_of(st.just(0.0), numbers(0, 1))
        curve = st.tuples(numbers(-1, 2), numbers(0, 1), numbers(-1, 2)).map(
            lambda v: [(0, v[0]), (v[1], v[2]), (1, 1)]
        )
        chosen["over_life"] = st.none() | curve
    return (
        st.fixed_dictionaries(chosen)
        .filter(_has_axes)
        .map(lambda given: made(cls, given))
        .filter(bool)
    )


def _has_axes(given: dict[str, Any]) -> bool:
    """Whether the axes of a box, if it has any, are not parallel."""
    if "right" not in given:
        return True
    right, up = (np.array(given[name]) / np.linalg.norm(given[name]) for name in ("right", "up"))
    return float(np.linalg.norm(np.cross(right, up))) > 0.1


def made(cls: type[Kind], given: dict[str, Any]) -> Any:
    """An instance, or None when its fields do not go together."""
    try:
        return cls(**given)
    except gp.EffectError:
        return None


#: Fields of which each has as many rows: name and columns.
ALIKE: dict[type, dict[str, int]] = {gp.Points: {"positions": 3, "normals": 3, "colors": 4}}

_FOUR = [(0, 0, 0), (1, 0, 0.2), (0.3, 1, 0), (0.2, 0.3, 2)]
_THREE_FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3)]
GEOMETRIES = [
    gp.Geometry(_FOUR, _THREE_FACES),
    gp.Geometry(_FOUR, _THREE_FACES, normals=[(1, 2, 3), (0, 1, 0), (-1, 0, 1), (0, 0, 2)]),
    gp.Geometry(
        _FOUR,
        _THREE_FACES,
        normals=[[(1, 0, 0.1 * i), (0, 1, 0), (0, 0.5, 1)] for i in range(3)],
        colors=[(1, 0, 0, 1), (0, 2, 0, 0.5), (0.2, 0.3, 0.4, 1), (1, 1, 1, 1)],
    ),
]
