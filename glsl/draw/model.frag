// Colours in the data are straight; what is written is premultiplied, as of sprites.
#pragma gpuparticles block

uniform mat4 u_projection;

in vec2 v_uv;
in vec4 v_color;
#pragma gpuparticles inputs
#pragma gpuparticles kernels

out vec4 o_color;

void main() {
#pragma gpuparticles texel
    float alpha = clamp(v_color.a, 0.0, 1.0);
    vec4 color = texel * vec4(v_color.rgb, 1.0) * alpha;
#pragma gpuparticles soft
#pragma gpuparticles lit
#pragma gpuparticles cut
    o_color = vec4(color.rgb, color.a * (1.0 - u_additive));
}
