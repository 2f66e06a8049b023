// A particle as the kernels see it: in the middle of its own part of the step.

// Greater than any lifetime, and far from infinity: a dead slot stays dead whatever is added.
const float DEAD = 1e30;

// Longer than any lifetime that ends.
const float ENDLESS = 1e19;

struct Particle {
    vec3 position;  // units, from the anchor (world space) or from the emitter (local space)
    vec3 velocity;  // units/s
    float age;      // seconds, in whole ticks; below 0 until it is born within this step
    float rotation; // turns
    float lifetime; // seconds, in whole ticks
    uint seed;
    float life;     // how much of the life has passed, 0..1
    float time;     // seconds since the begin of the step
};
