// What an author's own code is given of a particle, to change.
#pragma gpuparticles include lib/own.glsl

struct State {
    vec3 position;  // units: in the world as it was authored, or from the emitter in local space
    vec3 velocity;  // units a second
    float rotation; // turns
    vec4 custom;    // kept; a look sees it
    vec4 user;      // kept, as are those that follow
    vec4 user2;
    vec4 user3;
    vec4 user4;
    vec4 user5;
    vec4 user6;
    float age;      // seconds, at the end of the step
    float life;     // age by lifetime, 0..1
    float lifetime; // seconds
    uint seed;
    float h;        // seconds of the step that it lives through
    int hits;       // how often it has met a surface in the step
    vec3 normal;    // of the one that it met last; 0 without
    bool alive;
};

// A number from 0 to 1, the particle's own, another for each n.
float own_random(State p, int n) {
    return random_uniform(p.seed, CHANNEL_OWN + uint(n));
}
