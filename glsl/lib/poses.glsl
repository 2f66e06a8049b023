// Where an emitter was, for trails that stay in the world behind particles that it carries.
#pragma gpuparticles include lib/space.glsl

uniform sampler2D u_poses;  // a row a mark: the place, seconds until it jumped; the turn; from
                            // where it jumped, and to where
uniform int u_pose;         // the row of the last mark
uniform vec3 u_pose_times;  // seconds since the last mark, from one to the next, from the last to now
uniform vec3 u_now_place;   // where it is now
uniform vec4 u_now_turn;

const float NEVER = 1e29;

// Of a mark, counted back from the last one.
vec4 pose_texel(int mark, int column) {
    int rows = textureSize(u_poses, 0).y;
    return texelFetch(u_poses, ivec2(column, (u_pose - mark + rows) % rows), 0);
}

vec3 placed_at_mark(vec3 own, int mark) {
    return pose_texel(mark, 0).xyz + turn(pose_texel(mark, 1), own);
}

// Between two marks it is on the line from one to the other, or from one to where it jumped, and on
// from where to.
vec3 placed_ago(vec3 own, float ago) {
    int rows = textureSize(u_poses, 0).y;
    int mark = clamp(int(ceil((ago - u_pose_times.x) / u_pose_times.y)), 0, rows - 1);
    vec4 older = pose_texel(mark, 0);
    vec4 from = pose_texel(mark, 1);
    vec3 newer = mark > 0 ? pose_texel(mark - 1, 0).xyz : u_now_place;
    vec4 to = mark > 0 ? pose_texel(mark - 1, 1) : u_now_turn;
    float passed = u_pose_times.x + float(mark) * u_pose_times.y - ago;
    float span = mark > 0 ? u_pose_times.y : u_pose_times.z;
    float jump = older.w;
    if (passed >= jump) {
        older = pose_texel(mark, 4);
        from = pose_texel(mark, 5);
        passed -= jump;
        span -= jump;
    } else if (jump < NEVER) {
        newer = pose_texel(mark, 2).xyz;
        to = pose_texel(mark, 3);
        span = jump;
    }
    float part = clamp(passed / max(span, 1e-30), 0.0, 1.0);
    to = dot(from, to) < 0.0 ? -to : to;
    return mix(older.xyz, newer, part) + turn(normalize(mix(from, to, part)), own);
}
