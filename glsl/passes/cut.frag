// Says for each CUT-th place of what two runs are merged to how many of the entries before it are the
// first run's: the long part of a search that all places up to the next one share.
#pragma gpuparticles include lib/entries.glsl

layout(location = 0) out uint o_cut;

void main() {
    Pair pair = pair_at((int(gl_FragCoord.y) << u_runs.w) + int(gl_FragCoord.x) * CUT);
    int low = max(pair.before - (pair.end - pair.middle), 0);
    int high = min(pair.before, pair.middle - pair.begin);
    while (low < high) {
        search(pair, low, high);
    }
    o_cut = uint(low);
}
