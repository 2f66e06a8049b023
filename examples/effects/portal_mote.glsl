// From a cold blue far away to a white heat at the ring.
vec4 look(Look p) {
    vec2 q = 2.0 * p.uv - 1.0;
    float light = exp(-6.0 * dot(q, q)) * smoothstep(1.0, 0.7, length(q));
    vec3 far = vec3(0.12, 0.25, 1.0), near = vec3(1.6, 0.75, 0.25);
    vec3 heat = mix(far, near, p.custom.x * p.custom.x) + vec3(pow(p.custom.x, 8.0));
    return vec4(p.color.rgb * heat * light, 0.0) * p.color.a;
}
