// A sprite in view space, before it is projected.

struct Quad {
    vec3 center;
    vec3 right; // unit vectors
    vec3 up;
    vec2 extent;
};
