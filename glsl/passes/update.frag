// One step of every slot below the high-water mark, from one side of the state to the other: half
// the path, all forces there, the other half.
#pragma gpuparticles include lib/particle.glsl
#pragma gpuparticles include lib/random.glsl
#pragma gpuparticles include lib/space.glsl
#pragma gpuparticles block
#pragma gpuparticles include lib/curve.glsl
#pragma gpuparticles outputs
#pragma gpuparticles inputs

#pragma gpuparticles kernels
#pragma gpuparticles own

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    Particle p = load_particle(slot);
#pragma gpuparticles kept
    if (p.age < p.lifetime) {
        // A newborn moves for the rest of the step after its moment, a dying particle for the rest
        // of its life.
        float wait = max(-p.age, 0.0);
        float age = max(p.age, 0.0);
        float h = min(u_step_time - wait, p.lifetime - age);
        float k = 0.5 * h;
        p.life = min((age + k) / p.lifetime, 1.0);
        p.time = wait + k;
#pragma gpuparticles before

#pragma gpuparticles pace
#pragma gpuparticles drift
#pragma gpuparticles modify
#pragma gpuparticles drift
#pragma gpuparticles constrain
#pragma gpuparticles spin

        // A newborn's age becomes whole ticks here. Only a newborn's: above 2^23 ticks a half is
        // lost, so that rounding would move the age of an old particle.
        float born = floor(min(p.age, 0.0) * u_ticks + 0.5) * u_tick;
        p.age = max(age + born + u_step_age, 0.0);
#pragma gpuparticles process
#pragma gpuparticles lose
    }
#pragma gpuparticles linger
    store_state(p);
#pragma gpuparticles keep
}
