// Noise on lattices that repeat after 256 cells, so that places far away and a day of time can be
// wrapped there. gpuparticles/effect/noise.py is the twin.

// q^3 (q (6 q - 15) + 10): from 0 to 1 with no slope and no bend at either end (Perlin, "Improving
// Noise", 2002).
vec3 fade(vec3 q) {
    return q * q * q * (q * (q * 6.0 - 15.0) + 10.0);
}

vec3 fade_slope(vec3 q) {
    vec3 r = q * (q - 1.0);
    return 30.0 * r * r;
}

// A random flow without sources: the curl of a vector potential. Each point of the lattice turns
// what is around it about an axis of its own, a: its potential is the fade to it times a x d, where
// d is the way from it. The curl of that is written out. Its RMS is 1.
vec3 curl_noise(vec3 q, uint salt) {
    vec3 cell = floor(q);
    vec3 f = q - cell;
    vec3 w = fade(f);
    vec3 s = fade_slope(f);
    ivec3 first = ivec3(cell);
    vec3 flow = vec3(0.0);
    for (int i = 0; i < 8; ++i) {
        ivec3 corner = ivec3(i & 1, (i >> 1) & 1, i >> 2);
        uvec3 at = uvec3((first + corner) & 255);
        uint hash = pcg(at.x | at.y << 8u | at.z << 16u | salt << 24u);
        vec3 axis = vec3(hash & 1023u, (hash >> 10u) & 1023u, hash >> 22u) * (2.0 / 1023.0) - 1.0;
        vec3 side = vec3(corner);
        vec3 d = f - side;
        vec3 e = 1.0 - side + (2.0 * side - 1.0) * w;
        vec3 slope = (2.0 * side - 1.0) * s * e.yzx * e.zxy;
        float weight = e.x * e.y * e.z;
        flow += axis * (dot(slope, d) + 2.0 * weight) - d * dot(slope, axis);
    }
    return flow * 0.8254;
}

// Smooth along a line, from -1 to 1.
float line_noise(float q, uint salt) {
    float cell = floor(q);
    int first = int(cell);
    float low = random_signed(uint(first & 255), salt);
    float high = random_signed(uint((first + 1) & 255), salt);
    return mix(low, high, fade(vec3(q - cell)).x);
}
