// One instance per row that holds births: a strip of two triangles over that row. The mask's rows
// are packed; the texel behind a row's words says which row of the state it is.
#pragma gpuparticles block

uniform usampler2D u_mask;

flat out int v_mask_row;
flat out uint v_admit;

void main() {
    int words = textureSize(u_mask, 0).x - 1;
    uvec2 place = texelFetch(u_mask, ivec2(words, gl_InstanceID), 0).xy;
    v_mask_row = gl_InstanceID;
    v_admit = place.y;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    float y = (float(place.x) + corner.y) / u_rows;
    gl_Position = vec4(2.0 * corner.x - 1.0, 2.0 * y - 1.0, 0.0, 1.0);
}
