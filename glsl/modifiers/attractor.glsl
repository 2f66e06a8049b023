// Pull that ends at a radius: velocity += strength * h * max(0, 1 - distance / radius)^attenuation,
// towards the centre, or as far along an axis as directionality says.
vec3 modify_attractor(
    Particle p, float strength, float radius, vec3 center, float attenuation,
    float directionality, vec3 axis) {
    vec3 way = center - p.position;
    float reach = max(radius - length(way), 0.0) / max(radius, 1e-30);
    float factor = reach > 0.0 ? pow(reach, attenuation) : 0.0;
    return unit(mix(unit(way), axis, directionality)) * (strength * factor);
}
