// Surfaces as the depth of the host's scene shows them: each pixel stands for a plane.
//
// u_depth has the rows of the matrix from the particles' frame to the window (0 to 3) and back (4 to
// 7), where the viewer is (8: a place, or with w = 0 a direction), and whether there is a depth to look
// at, and which one is that of nothing (9).
uniform sampler2D u_scene_depth;

// Places on the way of one step that are looked at, at most so many pixels apart if these do.
const int SCENE_STEPS = 32;
const float SCENE_STRIDE = 4.0;

// Heights over nothing, and where the picture does not show what there is.
const float CLEAR = 1e30;
const float UNSEEN = -1e30;

vec4 scene_window(vec3 place) {
    vec4 p = vec4(place, 1.0);
    return vec4(dot(u_depth[0], p), dot(u_depth[1], p), dot(u_depth[2], p), dot(u_depth[3], p));
}

vec3 scene_place(vec2 pixel, float depth) {
    vec4 p = vec4(pixel, depth, 1.0);
    return vec3(dot(u_depth[4], p), dot(u_depth[5], p), dot(u_depth[6], p)) / dot(u_depth[7], p);
}

vec3 scene_viewer(vec3 place) {
    return unit(u_depth[8].xyz - u_depth[8].w * place);
}

// From a pixel's place to its neighbour's: of both that which is closer in depth, lest an edge is
// taken for a slope.
vec3 scene_side(ivec2 at, ivec2 aside, float depth, vec3 point) {
    ivec2 last = textureSize(u_scene_depth, 0) - 1;
    float nothing = u_depth[9].y;
    ivec2 next = min(at + aside, last);
    ivec2 prior = max(at - aside, ivec2(0));
    float after = texelFetch(u_scene_depth, next, 0).x;
    float ahead = texelFetch(u_scene_depth, prior, 0).x;
    float up = next == at || after == nothing ? CLEAR : abs(after - depth);
    float down = prior == at || ahead == nothing ? CLEAR : abs(ahead - depth);
    if (min(up, down) == CLEAR) {
        return vec3(0.0);
    }
    return up <= down
        ? scene_place(vec2(next) + 0.5, after) - point
        : point - scene_place(vec2(prior) + 0.5, ahead);
}

// How high a place is over the surface that is seen there, whose plane is moved by the radius; and how
// far behind it, along the line of sight.
float scene_height(vec3 place, float radius, out Plane plane, out float behind) {
    vec3 viewer = scene_viewer(place);
    plane = nowhere(place, viewer);
    behind = CLEAR;
    vec4 window = scene_window(place);
    if (window.w <= 0.0) {
        return UNSEEN;
    }
    vec2 pixel = window.xy / window.w;
    ivec2 size = textureSize(u_scene_depth, 0);
    if (any(lessThan(pixel, vec2(0.0))) || any(greaterThanEqual(pixel, vec2(size)))) {
        return UNSEEN;
    }
    ivec2 at = ivec2(pixel);
    float depth = texelFetch(u_scene_depth, at, 0).x;
    if (depth == u_depth[9].y) {
        return CLEAR;
    }
    vec3 point = scene_place(vec2(at) + 0.5, depth);
    vec3 normal = unit(cross(
        scene_side(at, ivec2(1, 0), depth, point), scene_side(at, ivec2(0, 1), depth, point)));
    normal = normal == vec3(0.0) ? viewer : normal;
    normal = dot(normal, viewer) < 0.0 ? -normal : normal;
    plane = Plane(point + normal * radius, normal);
    // A plane that is seen from its edge is no measure.
    float over = height_over(plane, place);
    behind = -over / max(dot(normal, viewer), 0.05);
    return over;
}

// The plane of what is seen at a place, unless it is too far behind that.
Plane scene_plane(vec3 place, float radius, float thickness) {
    Plane plane;
    float behind;
    scene_height(place, radius, plane, behind);
    return behind > thickness ? nowhere(place, scene_viewer(place)) : plane;
}

// What is met first on the straight way from before to p: where it goes from in front of the scene
// to behind it, but not past an edge.
bool scene_ahead(
    Particle before, Particle p, Contact contact, float thickness, out Plane plane) {
    float radius = contact.surface.radius;
    plane = scene_plane(before.position, radius, thickness);
    float skin = skin_at(before.position);
    bool on = height_over(plane, before.position) <= skin;
    if (on && meets(plane, before, p, contact)) {
        return true;
    }
    vec3 way = p.position - before.position;
    vec4 from = scene_window(before.position);
    vec4 to = scene_window(p.position);
    float count = float(SCENE_STEPS);
    if (from.w > 0.0 && to.w > 0.0) {
        float pixels = length(to.xy / to.w - from.xy / from.w);
        count = clamp(ceil(pixels / SCENE_STRIDE), 1.0, count);
    }
    // What lies on it does not fall through by rounding.
    float slack = on || contact.last ? skin : 0.0;
    float behind;
    bool front = scene_height(before.position, radius, plane, behind) + slack >= 0.0;
    for (int i = 1; i <= int(count); ++i) {
        float t = float(i) / count;
        bool after = scene_height(before.position + t * way, radius, plane, behind) + slack >= 0.0;
        if (front && !after) {
            float low = float(i - 1) / count;
            for (int k = 0; k < 12; ++k) {
                float middle = 0.5 * (low + t);
                vec3 place = before.position + middle * way;
                if (scene_height(place, radius, plane, behind) + slack < 0.0) {
                    t = middle;
                } else {
                    low = middle;
                }
            }
            scene_height(before.position + t * way, radius, plane, behind);
            if (behind <= thickness) {
                return true;
            }
        }
        front = after;
    }
    return false;
}
