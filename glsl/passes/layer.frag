// Lays a layer over the picture; premultiplied.
#pragma gpuparticles include lib/picture.glsl
uniform vec4 u_layer_tint; // straight; alpha is the share that is seen
uniform sampler2D u_mask;
uniform vec4 u_mask_box;     // where it lies: left, bottom, width, height
uniform vec4 u_mask_channel; // what counts of a texel
uniform vec2 u_masking;      // the share that is seen without a mask, and what a whole one adds

layout(location = 0) out vec4 o_color;

#pragma gpuparticles filtered

float masked() {
    if (u_masking.y == 0.0) {
        return u_masking.x;
    }
    vec2 uv = (gl_FragCoord.xy - u_mask_box.xy) / u_mask_box.zw;
    return u_masking.x + u_masking.y * clamp(dot(texture(u_mask, uv), u_mask_channel), 0.0, 1.0);
}

void main() {
    float share = u_layer_tint.a * masked();
#pragma gpuparticles lay
}
