// What was written at a mark, of all slots: from the history, which is about to be written.
uniform sampler2D u_history;
uniform ivec2 u_plane; // the mark's plane, planes

layout(location = 0) out vec4 o_kept;

void main() {
    ivec2 slot = ivec2(gl_FragCoord.xy);
    o_kept = texelFetch(u_history, ivec2(slot.x, slot.y * u_plane.y + u_plane.x), 0);
}
