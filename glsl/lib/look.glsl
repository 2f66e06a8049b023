// What an author's own function is given of a pixel, and what it may call.
#pragma gpuparticles include lib/own.glsl

struct Look {
    vec4 color;    // of the particle, straight, with its curves and fades
    vec4 texel;    // of the texture, premultiplied; without one of a soft disc
    vec2 uv;       // (0, 0) at the lower left
    float age;     // seconds
    float life;    // age by lifetime
    vec3 velocity; // units a second, along the axes in which particles live
    uint seed;
#pragma gpuparticles told
};

// What is drawn without such a function.
vec4 plain(Look p) {
    return p.texel * vec4(p.color.rgb, 1.0) * clamp(p.color.a, 0.0, 1.0);
}

// A number from 0 to 1, the particle's own, another for each n.
float own_random(Look p, int n) {
    return random_uniform(p.seed, CHANNEL_OWN + uint(n));
}
