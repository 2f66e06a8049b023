// Turns positions about an axis, counter-clockwise as seen from its tip, and moves them away from
// it: by angular_velocity * h degrees on a circle, and radial * h units.
vec3 modify_orbit(
    Particle p, float h, float angular_velocity, vec3 axis, vec3 center, float radial) {
    vec3 away = p.position - center;
    vec3 out_ = away - axis * dot(axis, away);
    float angle = radians(angular_velocity) * h;
    float s = sin(0.5 * angle);
    vec3 moved = cross(axis, away) * sin(angle) - out_ * (2.0 * s * s);
    return moved + unit(out_ + moved) * max(radial * h, -length(out_));
}
