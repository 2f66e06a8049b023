// Blending that depends on no order: a weighted mean of colours, and how much all of them cover
// together (McGuire and Bavoil, Weighted Blended Order-Independent Transparency, 2013).
#pragma gpuparticles include lib/ahead.glsl

layout(location = 1) out float o_cover;

uniform vec2 u_weighing; // from where distances count, and the distance that weighs 1

// What is added up, of a premultiplied colour. The nearer weighs more: only ratios of distances
// matter, to the fourth power, so worlds of any scale look alike. Cover is summed as an optical depth, for which half a
// float is as exact for thin smoke as for walls. What only adds light covers a little, for its light
// to have a share in the mean; the mean is as much brighter.
vec4 weighed(vec4 color, float alpha) {
    float cover = max(color.a, alpha / 1024.0);
    float away = max(distance_ahead(gl_FragCoord.z) - u_weighing.x, 1e-30);
    float nearness = clamp(u_weighing.y / away, 0.25, 2.0); // its power fits half a float
    nearness *= nearness;
    o_cover = -log(max(1.0 - cover, 1e-4));
    return vec4(color.rgb, cover) * (nearness * nearness);
}
