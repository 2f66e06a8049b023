// Directions, bases and turns.

const float TAU = 6.28318530717958647692;

// v / |v|, and zero where that has no meaning.
vec3 unit(vec3 v) {
    float squared = dot(v, v);
    return squared > 1e-30 ? v * inversesqrt(squared) : vec3(0.0);
}

// Two unit vectors that complete the unit vector n to a right-handed basis (u, n, w). Without
// branches (Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017), with n as
// the second axis, so that n = +Y gives the axes themselves.
void basis_around(vec3 n, out vec3 u, out vec3 w) {
    float s = n.y >= 0.0 ? 1.0 : -1.0;
    float a = -1.0 / (s + n.y);
    float b = n.x * n.z * a;
    u = vec3(1.0 + s * n.x * n.x * a, -s * n.x, s * b);
    w = vec3(b, -n.z, s + n.z * n.z * a);
}

vec3 turn(vec4 quaternion, vec3 v) {
    vec3 t = 2.0 * cross(quaternion.xyz, v);
    return v + quaternion.w * t + cross(quaternion.xyz, t);
}

vec3 turn_back(vec4 quaternion, vec3 v) {
    return turn(vec4(-quaternion.xyz, quaternion.w), v);
}

// Along the arc from a to b. arc holds its angle and 1 / sin(angle), since a driver's acos may be as
// coarse as it likes; or 0 for close quaternions, which are mixed: there the arc is straight to
// float precision.
vec4 slerp(vec4 a, vec4 b, vec2 arc, float f) {
    if (arc.y == 0.0) {
        return normalize(a + (b - a) * f);
    }
    return (a * sin((1.0 - f) * arc.x) + b * sin(f * arc.x)) * arc.y;
}

// How far a force reaches: 1 up to the inner radius, 0 from the outer one, linear between.
// falloff = (outer, 1 / (outer - inner)).
float falloff_at(vec2 falloff, float distance) {
    return clamp((falloff.x - distance) * falloff.y, 0.0, 1.0);
}
