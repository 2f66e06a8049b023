// How faint a fragment is close to what the host has drawn.
#pragma gpuparticles include lib/ahead.glsl

uniform sampler2D u_scene_depth;
uniform float u_scene_seen; // whether there is a depth to look at

// Along the line of sight, from 0 where the scene is touched to 1 at such a distance before it.
float soft_fade(float softness) {
    if (softness <= 0.0 || u_scene_seen <= 0.0) {
        return 1.0;
    }
    ivec2 place = min(ivec2(gl_FragCoord.xy), textureSize(u_scene_depth, 0) - 1);
    float scene = distance_ahead(texelFetch(u_scene_depth, place, 0).x);
    return clamp((scene - distance_ahead(gl_FragCoord.z)) / softness, 0.0, 1.0);
}
