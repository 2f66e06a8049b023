// Colours in the data are straight; what is written is premultiplied. Less alpha for the same colour
// adds more than it covers: from 0, alpha blending, to 1, pure light.
#pragma gpuparticles block

in vec2 v_uv;
flat in vec4 v_color;
#pragma gpuparticles inputs

#pragma gpuparticles kernels

// The texture's colour at a place of the sprite; without a texture a round disc, faint at its edge.
vec4 texel_at(vec2 uv) {
#pragma gpuparticles texel
    return texel;
}

#pragma gpuparticles look

layout(location = 0) out vec4 o_color;

void main() {
    vec4 texel = texel_at(v_uv);
#pragma gpuparticles color
#pragma gpuparticles soft
#pragma gpuparticles lit
#pragma gpuparticles cut
    o_color = vec4(color.rgb, color.a * (1.0 - u_additive));
#pragma gpuparticles weigh
}
