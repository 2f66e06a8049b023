// Counter-based random numbers: a pure function of a particle's seed and a channel, so that a draw
// never depends on the slot, the frame or what else was drawn. The hash is the 32-bit PCG
// permutation (Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020).
// gpuparticles/effect/random.py is its bit-exact twin, with the same channels.

const uint CHANNEL_SPEED = 1u;
const uint CHANNEL_SIZE = 2u;
const uint CHANNEL_ROTATION = 3u;
const uint CHANNEL_ANGULAR_VELOCITY = 4u;
const uint CHANNEL_STRETCH = 5u;
const uint CHANNEL_DIRECTION = 6u;
const uint CHANNEL_HANDEDNESS = 8u;
const uint CHANNEL_VELOCITY = 9u;
const uint CHANNEL_COLOR = 12u;
const uint CHANNEL_WIDTH = 13u;
const uint CHANNEL_HEIGHT = 14u;
const uint CHANNEL_FRAME = 15u;
const uint CHANNEL_SHAPE = 16u;
const uint CHANNEL_MODIFIER = 32u;
const uint CHANNEL_RADIAL_SPEED = 65537u;
const uint CHANNEL_INHERIT_VELOCITY = 65538u;
const uint CHANNEL_ORIENTATION = 65552u;
const uint CHANNEL_AXIS = 65555u;

uint pcg(uint v) {
    uint state = v * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

// In [0, 1): the upper 24 bits, so that every value is an exact float.
float random_uniform(uint seed, uint channel) {
    return float(pcg(seed ^ pcg(channel)) >> 8u) * 5.9604644775390625e-8;
}

// In [-1, 1).
float random_signed(uint seed, uint channel) {
    return 2.0 * random_uniform(seed, channel) - 1.0;
}

// 1 or -1, the same for everything about one particle.
float random_handedness(uint seed) {
    return random_uniform(seed, CHANNEL_HANDEDNESS) < 0.5 ? 1.0 : -1.0;
}
