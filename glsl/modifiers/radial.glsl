// Away from a centre; towards it where strength is negative:
// velocity += strength * h * unit(position - center) * falloff(distance).
vec3 modify_radial(Particle p, float strength, vec3 center, vec2 falloff) {
    vec3 away = p.position - center;
    return unit(away) * (strength * falloff_at(falloff, length(away)));
}
