// Writes birth data and first state where the mask says that a particle is born. Elsewhere nothing,
// except in rows that come back into use: there the unborn slots are marked dead, because this side
// may still hold particles that were alive when the row was left.
#pragma gpuparticles include lib/particle.glsl
#pragma gpuparticles include lib/random.glsl
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles include lib/birth.glsl
#pragma gpuparticles include lib/births.glsl
#pragma gpuparticles block
#pragma gpuparticles outputs

#pragma gpuparticles uniforms

flat in int v_words;
flat in int v_records;
flat in int v_rank;
flat in uint v_admit;
flat in uvec4 v_record;

#pragma gpuparticles kernels
#pragma gpuparticles own

// GLSL 3.30 has no bitCount.
uint count_bits(uint v) {
    v -= (v >> 1u) & 0x55555555u;
    v = (v & 0x33333333u) + ((v >> 2u) & 0x33333333u);
    return (((v + (v >> 4u)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24u;
}

// The nearest half float, ties to even, so that what a driver does on the way into the 16-bit
// texture no longer matters.
float to_half(float v) {
    uint bits = floatBitsToUint(clamp(v, -65504.0, 65504.0));
    bits += 0xFFFu + ((bits >> 13u) & 1u);
    return uintBitsToFloat(bits & 0xFFFFE000u);
}

vec4 to_half(vec4 v) {
    return vec4(to_half(v.x), to_half(v.y), to_half(v.z), to_half(v.w));
}

// range = (low, high - low)
float draw(vec2 range, uint seed, uint channel) {
    return range.x + range.y * random_uniform(seed, channel);
}

// Evenly over the solid angle within `angle` of the unit vector `axis`. The cap's height is taken
// from the half angle's sine: 1 - cos(angle) would cancel for small angles.
vec3 spread_around(vec3 axis, float angle, uint seed) {
    float s = sin(0.5 * angle);
    float down = 2.0 * s * s * random_uniform(seed, CHANNEL_DIRECTION);
    float phi = TAU * random_uniform(seed, CHANNEL_DIRECTION + 1u);
    float ring = sqrt(max(down * (2.0 - down), 0.0));
    vec3 u, w;
    basis_around(axis, u, w);
    return (1.0 - down) * axis + ring * (cos(phi) * u + sin(phi) * w);
}

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    int rank = v_rank;
    if (v_words >= 0) {
        uvec2 word = births_entry(v_words + (slot.x >> 5));
        uint bit = 1u << uint(slot.x & 31);
        if ((word.x & bit) == 0u) {
            if (v_admit == 0u) {
                discard;
            }
            store_dead();
            return;
        }
        rank = int(word.y + count_bits(word.x & (bit - 1u)));
    }
#pragma gpuparticles record

    uint seed = record.w;
    float moment = uintBitsToFloat(record.y);
    Particle p;
    p.seed = seed;
    p.lifetime = uintBitsToFloat(record.z);
    p.age = -moment;

    Birth birth = Birth(vec3(0.0), vec3(0.0, 1.0, 0.0), vec4(1.0), uintBitsToFloat(record.x), seed,
        CHANNEL_SHAPE);
#pragma gpuparticles shape
    p.position = birth.position * u_shape_scale + u_shape_offset;

#pragma gpuparticles launch
    if (u_spread > 0.0) {
        launch = spread_around(launch, u_spread, seed);
    }
#pragma gpuparticles place

#pragma gpuparticles attributes
    store_state(p);
    store_birth(p, attributes, color);
}
