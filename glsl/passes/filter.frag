// A filter that is one function.
#pragma gpuparticles include lib/picture.glsl

layout(location = 0) out vec4 o_color;

#pragma gpuparticles filtered

void main() {
    o_color = filtered(picture());
}
