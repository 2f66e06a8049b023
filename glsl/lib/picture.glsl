// A layer as filters of one function see it, and what lies behind it. Places are pixels from the
// viewport's lower left corner; the middle of the first one is (0.5, 0.5).
uniform sampler2D u_layer;
uniform sampler2D u_scene; // what the host has drawn
uniform vec4 u_box;        // the viewport: left, bottom, width, height
uniform float u_encode;    // 1 where colours are drawn as they are, into what holds sRGB

struct Picture {
    vec4 color; // of the layer here, premultiplied
    vec2 place; // here
    vec2 size;  // of the viewport
    vec2 uv;    // place / size
};

Picture picture() {
    vec2 place = gl_FragCoord.xy - u_box.xy;
    vec4 color = texelFetch(u_layer, ivec2(gl_FragCoord.xy), 0);
    return Picture(color, place, u_box.zw, place / u_box.zw);
}

vec4 encoded(vec4 color) {
    vec3 low = 12.92 * color.rgb, high = 1.055 * pow(color.rgb, vec3(1.0 / 2.4)) - 0.055;
    return vec4(mix(low, high, greaterThan(color.rgb, vec3(0.0031308))), color.a);
}

// Linear between the middles of pixels; beyond the outermost ones as there.
vec4 pixel_at(sampler2D source, vec2 place, bool encode) {
    vec2 inside = clamp(place - 0.5, vec2(0.0), u_box.zw - 1.0);
    ivec2 low = ivec2(inside), high = min(low + 1, ivec2(u_box.zw) - 1), corner = ivec2(u_box.xy);
    vec2 f = inside - vec2(low);
    vec4 four[4];
    for (int i = 0; i < 4; ++i) {
        ivec2 texel = ivec2((i & 1) == 0 ? low.x : high.x, i < 2 ? low.y : high.y);
        four[i] = texelFetch(source, corner + texel, 0);
        four[i] = encode ? encoded(four[i]) : four[i];
    }
    return mix(mix(four[0], four[1], f.x), mix(four[2], four[3], f.x), f.y);
}

// The layer elsewhere, premultiplied; outside the viewport there is nothing of it.
vec4 layer_at(vec2 place) {
    bool outside = any(lessThan(place, vec2(0.0))) || any(greaterThan(place, u_box.zw));
    return outside ? vec4(0.0) : pixel_at(u_layer, place, false);
}

// What lies behind the layer, here or elsewhere, premultiplied.
vec4 scene_at(vec2 place) {
    return pixel_at(u_scene, place, u_encode > 0.5);
}
