// How models are turned. gpuparticles/effect/model.py has the twin.

// First b, then a.
vec4 quaternion_product(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

vec4 turn_about(vec3 axis, float angle) {
    return vec4(axis * sin(0.5 * angle), cos(0.5 * angle));
}

// Uniform over the sphere.
vec3 random_axis(uint seed) {
    float y = 2.0 * random_uniform(seed, CHANNEL_AXIS) - 1.0;
    float around = TAU * random_uniform(seed, CHANNEL_AXIS + 1u);
    float reach = sqrt(max(1.0 - y * y, 0.0));
    return vec3(reach * cos(around), y, reach * sin(around));
}

// Uniform over all rotations (Shoemake, "Uniform Random Rotations", Graphics Gems III, 1992).
vec4 orientation_random(uint seed, vec3 velocity) {
    float share = random_uniform(seed, CHANNEL_ORIENTATION);
    float first = TAU * random_uniform(seed, CHANNEL_ORIENTATION + 1u);
    float second = TAU * random_uniform(seed, CHANNEL_ORIENTATION + 2u);
    vec2 reach = sqrt(vec2(1.0 - share, share));
    return vec4(reach.x * sin(first), reach.x * cos(first), reach.y * sin(second), reach.y * cos(second));
}

// The shortest way from +Y to the motion; what is at rest stays as it is.
vec4 orientation_velocity(uint seed, vec3 velocity) {
    vec3 ahead = unit(velocity);
    if (ahead.y < -0.999999) {
        return vec4(1.0, 0.0, 0.0, 0.0);
    }
    return normalize(vec4(ahead.z, 0.0, -ahead.x, 1.0 + ahead.y));
}

vec4 orientation_fixed(uint seed, vec3 velocity) {
    return vec4(0.0, 0.0, 0.0, 1.0);
}
