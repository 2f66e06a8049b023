// The cell of a frame, counted on and on: its lower left corner and its size, in texture coordinates.
vec4 flipbook_cell(float frame) {
    float frames = u_flipbook.z;
#pragma gpuparticles there_and_back
    frame = u_flipbook_loop > 0.0 ? frame - frames * floor(frame / frames) : min(frame, frames - 1.0);
    frame = clamp(frame, 0.0, frames - 1.0);
    float row = floor((frame + 0.5) / u_flipbook.x);
    vec2 size = 1.0 / u_flipbook.xy;
    return vec4((frame - row * u_flipbook.x) * size.x, 1.0 - (row + 1.0) * size.y, size);
}
