// Colours in the data are straight; what is written is premultiplied, as by sprite.frag.
uniform sampler2D u_texture;
uniform vec3 u_surface; // how additive; 0: soft edges, 1: a texture, 2: of straight alpha; 1 where it is tiled

#pragma gpuparticles inputs
in vec4 v_color;
in vec2 v_across;
in float v_along;

out vec4 o_color;

vec4 sample_at(vec2 uv) {
    vec2 texels = vec2(textureSize(u_texture, 0));
    vec2 dx = dFdx(uv * texels), dy = dFdy(uv * texels);
    float level = max(0.5 * log2(max(max(dot(dx, dx), dot(dy, dy)), 1e-12)), 0.0);
    vec2 inset = min(0.5 * exp2(ceil(level)) / texels, 0.5);
    uv.x = u_surface.z > 0.0 ? fract(uv.x) : uv.x;
    vec4 texel = textureLod(u_texture, clamp(uv, inset, 1.0 - inset), level);
    return vec4(texel.rgb * (u_surface.y > 1.0 ? texel.a : 1.0), texel.a);
}

void main() {
    float across = v_across.x / max(v_across.y, 1e-30);
    vec4 texel;
    if (u_surface.y > 0.0) {
        texel = sample_at(vec2(v_along, 0.5 + 0.5 * across));
    } else {
        texel = vec4(1.0 - smoothstep(0.1, 1.0, abs(across)));
    }
    float alpha = clamp(v_color.a, 0.0, 1.0);
    vec4 color = texel * vec4(v_color.rgb, 1.0) * alpha;
#pragma gpuparticles cut
    o_color = vec4(color.rgb, color.a * (1.0 - u_surface.x));
}
