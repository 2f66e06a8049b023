// Draws particles onto a sphere: the speed away from its centre is drawn at rate towards
// rate / 4 * (radius - distance), at most speed. Near the surface that is a spring, critically
// damped. Motion along the surface is free.
Pull modify_conform_to_sphere(Particle p, float speed, float radius, vec3 center, float rate) {
    vec3 away = p.position - center;
    float most = max(speed, 0.0);
    float towards = clamp(0.25 * rate * (radius - length(away)), -most, most);
    return pull_along(unit(away), towards, rate);
}
