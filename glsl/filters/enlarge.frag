// A smaller picture as large as the layer again, linear in between.
#pragma gpuparticles include lib/enlarged.glsl
uniform sampler2D u_layer;

layout(location = 0) out vec4 o_color;

void main() {
    o_color = enlarged(u_layer, gl_FragCoord.xy);
}
