// A hot point in a halo, both as bright as the process says.
vec4 look(Look p) {
    float r = length(2.0 * p.uv - 1.0);
    float edge = smoothstep(1.0, 0.6, r);
    float halo = 0.22 * exp(-5.0 * r * r);
    float point = exp(-220.0 * r * r);
    vec3 light = p.color.rgb * halo + mix(p.color.rgb, vec3(1.0), 0.6) * point;
    return vec4(light * p.custom.x * edge, 0.0) * p.color.a;
}
