// Makes the places of a trail relative to another anchor; what is beside them stays.
#pragma gpuparticles texel

uniform vec3 u_offset;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
#pragma gpuparticles shift
}
