// Which particles live: a bit for each slot, 32 of a row in a texel.
#pragma gpuparticles include lib/particle.glsl
#pragma gpuparticles inputs

layout(location = 0) out uint o_alive;

void main() {
    ivec2 first = ivec2(gl_FragCoord.xy) * ivec2(32, 1);
    uint alive = 0u;
    for (int i = 0; i < 32; ++i) {
        Particle p = load_particle(first + ivec2(i, 0));
#pragma gpuparticles end
        alive |= p.age < end ? 1u << uint(i) : 0u;
    }
    o_alive = alive;
}
