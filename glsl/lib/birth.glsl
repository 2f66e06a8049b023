// A particle that is being born, as a shape's kernel sees it: in the emitter's space.
struct Birth {
    vec3 position; // units
    vec3 normal;   // unit vector away from the shape
    vec4 color;    // straight RGBA, a factor
    float phase;   // where its shape has got to, if births follow each other there
    uint seed;
    uint channel;  // of the next draw
};

// The next draw of a shape, which may take as many as it likes.
float random_next(inout Birth birth) {
    return random_uniform(birth.seed, birth.channel++);
}
