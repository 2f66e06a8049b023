// Samples of a force in a box, linear between them: velocity += strength * h * field(position).
// The first row of the table says how many there are along x, y and z. Where tile is 0 the
// outermost lie on the box' faces, and outside there is nothing; where it is 1 the box repeats.
// phase is where the particles' origin lies in the box, from 0 to 1.
#pragma gpuparticles include lib/tables.glsl

vec3 modify_vector_field(
    Particle p, float strength, vec2 field, vec3 half_size, float tile, vec4 phase) {
    vec3 u = clamp(p.position / max(2.0 * half_size, 1e-30), -1e6, 1e6) + phase.xyz;
    ivec3 count = ivec3(table_at(field, 0).xyz);
    bool outside = tile < 0.5 && (any(lessThan(u, vec3(0.0))) || any(greaterThan(u, vec3(1.0))));
    vec3 g = tile < 0.5 ? clamp(u, 0.0, 1.0) * vec3(count - 1) : (u - floor(u)) * vec3(count);
    vec3 cell = min(floor(g), vec3(count - 1));
    vec3 f = g - cell;
    ivec3 first = ivec3(cell);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 8; ++i) {
        ivec3 corner = ivec3(i & 1, (i >> 1) & 1, i >> 2);
        ivec3 at = first + corner;
        at -= count * ivec3(greaterThanEqual(at, count));
        vec3 e = mix(1.0 - f, f, vec3(corner));
        vec3 value = table_at(field, 1 + (at.z * count.y + at.y) * count.x + at.x).xyz;
        sum += value * (e.x * e.y * e.z);
    }
    return outside ? vec3(0.0) : sum * strength;
}
