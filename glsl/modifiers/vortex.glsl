// Around an axis through a centre, counter-clockwise seen from the axis' tip:
// velocity += strength * h * unit(axis x (position - center)) * falloff(distance from the centre).
vec3 modify_vortex(Particle p, float strength, vec3 axis, vec3 center, vec2 falloff) {
    vec3 away = p.position - center;
    return unit(cross(axis, away)) * (strength * falloff_at(falloff, length(away)));
}
