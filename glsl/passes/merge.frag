// Merges runs of entries that are sorted already, two by two. The cuts say which entries of a pair
// come before each CUT-th place; a fragment finds the rest of the way to the entry that belongs at
// its own. Of equal keys the earlier entry stays in front.
#pragma gpuparticles include lib/entries.glsl
#pragma gpuparticles inputs

uniform usampler2D u_cuts;

layout(location = 0) out uvec2 o_entry;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    Pair pair = pair_at((texel.y << u_runs.w) + texel.x);
    int low = int(texelFetch(u_cuts, ivec2(texel.x / CUT, texel.y), 0).x);
    int high = min(low + texel.x % CUT, pair.middle - pair.begin);
    low = max(low, pair.before - (pair.end - pair.middle));
    // CUT candidates at the most: as many halvings.
    for (int left = CUT; left > 1; left /= 2) {
        search(pair, low, high);
    }
    int first = pair.begin + low;
    int second = pair.middle + pair.before - low;
    uvec2 entry = entry_at(min(first, pair.middle - 1));
    uvec2 other = entry_at(min(second, u_runs.y - 1));
    bool stays = second >= pair.end || (first < pair.middle && entry.x <= other.x);
    entry = stays ? entry : other;
#pragma gpuparticles entry
    o_entry = entry;
}
