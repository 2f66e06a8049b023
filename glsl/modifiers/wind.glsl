// Air that moves, and carries along: velocity is drawn towards the air's, the difference falls by
// exp(-rate * h). Gusts come along with the wind; phase.xyz leads along them, in gusts a unit.
#pragma gpuparticles include lib/noise.glsl

Pull modify_wind(
    Particle p, vec3 velocity, float rate, float gusts, float gust_frequency, vec4 phase) {
    float along = clamp(dot(p.position, phase.xyz), -1e6, 1e6);
    float q = p.time * gust_frequency - along + phase.w;
    return pull_everywhere(velocity * (1.0 + gusts * line_noise(q, 0u)), rate);
}
