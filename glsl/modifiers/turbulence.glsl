// Curl noise: velocity += strength * h * curl_noise((position - scroll * time) * frequency).
// phase is what lies beyond the particles' own frame and the step, in cells.
#pragma gpuparticles include lib/noise.glsl

vec3 modify_turbulence(
    Particle p, float strength, float frequency, float octaves, float roughness, vec3 scroll,
    vec4 phase) {
    vec3 q = clamp((p.position - scroll * p.time) * frequency, -1e6, 1e6) + phase.xyz;
    vec3 sum = vec3(0.0);
    float share = 1.0;
    float power = 0.0;
    uint count = uint(octaves);
    for (uint octave = 0u; octave < count; ++octave) {
        sum += share * curl_noise(q, octave);
        power += share * share;
        share *= roughness;
        q *= 2.0;
    }
    return sum * (strength * inversesqrt(power));
}
