// What is brighter than a threshold, as far as it is.
uniform sampler2D u_layer;
uniform float u_threshold;
uniform float u_knee; // how far below and above the threshold it begins softly

layout(location = 0) out vec4 o_color;

void main() {
    vec3 color = texelFetch(u_layer, ivec2(gl_FragCoord.xy), 0).rgb;
    float light = max(color.r, max(color.g, color.b));
    float soft = clamp(light - u_threshold + u_knee, 0.0, 2.0 * u_knee);
    soft = soft * soft / max(4.0 * u_knee, 1e-6);
    float above = max(max(light - u_threshold, soft), 0.0);
    o_color = vec4(color * (above / max(light, 1e-6)), 0.0);
}
