// Light from one direction, and from everywhere.

uniform mat3 u_light; // columns: the way to it in view space, its colour, and what comes from everywhere

// What a surface gets whose normal has this cosine with the way to the light. With wrap w light
// reaches as far round as a cosine of -w; some of what falls on the other side may come through.
vec3 lit(float cosine) {
    float wrap = u_lit.x;
    float front = max(wrap + cosine, 0.0);
    float back = max(wrap - cosine, 0.0);
    return u_light[2] + u_light[1] * ((front + u_lit.y * back) / (1.0 + wrap));
}
