// Light added to what was there, and what is too bright brought into range.
#pragma gpuparticles include lib/enlarged.glsl
uniform sampler2D u_layer; // the light
uniform sampler2D u_under; // what was there
uniform float u_intensity;
uniform float u_tone; // 0: as it is, 1: Reinhard, 2: ACES

layout(location = 0) out vec4 o_color;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    vec4 under = texelFetch(u_under, place, 0);
    vec3 color = under.rgb + u_intensity * enlarged(u_layer, gl_FragCoord.xy).rgb;
    if (u_tone > 1.5) { // Narkowicz's fit of the ACES curve, 2015
        color = clamp(color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14), 0.0, 1.0);
    } else if (u_tone > 0.5) {
        color = color / (1.0 + max(color.r, max(color.g, color.b)));
    }
    o_color = vec4(color, under.a);
}
