// Colours in the data are straight; what is written is premultiplied. Less alpha for the same colour
// adds more than it covers: from 0, alpha blending, to 1, pure light.
#pragma gpuparticles block

in vec2 v_uv;
flat in vec4 v_color;
#pragma gpuparticles inputs

#pragma gpuparticles kernels

out vec4 o_color;

void main() {
#pragma gpuparticles texel
    float alpha = clamp(v_color.a, 0.0, 1.0);
#pragma gpuparticles soft
    vec4 color = texel * vec4(v_color.rgb, 1.0) * alpha;
#pragma gpuparticles lit
#pragma gpuparticles cut
    o_color = vec4(color.rgb, color.a * (1.0 - u_additive));
}
