// A picture that lies smaller in the lower left corner of a texture, as it is at a place of the whole.
uniform float u_scale;  // how much smaller it is
uniform vec2 u_extent;  // how large, in texels

vec4 enlarged(sampler2D source, vec2 place) {
    if (u_scale == 1.0) {
        return texelFetch(source, ivec2(place), 0);
    }
    vec2 inside = clamp(place / u_scale - 0.5, vec2(0.0), u_extent - 1.0);
    ivec2 low = ivec2(inside), high = min(low + 1, ivec2(u_extent) - 1);
    vec2 f = inside - vec2(low);
    vec4 below = mix(texelFetch(source, low, 0), texelFetch(source, ivec2(high.x, low.y), 0), f.x);
    vec4 above = mix(texelFetch(source, ivec2(low.x, high.y), 0), texelFetch(source, high, 0), f.x);
    return mix(below, above, f.y);
}
