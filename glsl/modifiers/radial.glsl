// Away from a centre; towards it where strength is negative:
// velocity += strength * h * unit(position - center) * falloff(distance).
vec3 modify_radial(Particle p, float strength, vec3 center, vec2 falloff) {
    vec3 away = p.position - center;
    float squared = max(dot(away, away), 1e-30);
    float inverse = inversesqrt(squared);
    return away * (inverse * strength * falloff_at(falloff, squared * inverse));
}
