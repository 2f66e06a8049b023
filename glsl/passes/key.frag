// Writes an entry for each slot: the key by which particles are sorted, and the slot. Who does not
// live comes last.
#pragma gpuparticles inputs
#pragma gpuparticles kernels

layout(location = 0) out uvec2 o_entry;

const uint LAST = 0xffffffffu;

// Whole numbers in the order of the floats: every pair of them compares, whatever the bits.
uint ordered(float value) {
    uint bits = floatBitsToUint(value);
    return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    vec4 position_age = texelFetch(u_position_age, slot, 0);
    float lifetime = uintBitsToFloat(texelFetch(u_lifetime_seed, slot, 0).x);
    vec3 position = position_age.xyz;
    float age = position_age.w;
    uint key = LAST;
    if (age >= 0.0 && age < lifetime) {
#pragma gpuparticles key
    }
    o_entry = uvec2(key, uint(slot.y * textureSize(u_position_age, 0).x + slot.x));
}
