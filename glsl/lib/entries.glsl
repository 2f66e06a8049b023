// Entries (key, slot) that a merge sort puts in order, and the search along the border between the
// two runs of a pair.

// A texture row of 32 slots or more has whole ones of these.
const int CUT = 16; // entries from one cut to the next; no more than two of the first runs

uniform usampler2D u_entries; // entry i is texel (i mod width, i div width)
uniform ivec4 u_runs;         // entries a run, entries, width - 1, log2 of the width

uvec2 entry_at(int index) {
    return texelFetch(u_entries, ivec2(index & u_runs.z, index >> u_runs.w), 0).xy;
}

struct Pair {
    int begin;  // of the first run
    int middle; // its end, and the begin of the second
    int end;    // of the second, which may be short or empty
    int before; // entries of the merged pair that come before the place in question
};

Pair pair_at(int index) {
    int begin = index & ~(2 * u_runs.x - 1);
    int middle = min(begin + u_runs.x, u_runs.y);
    return Pair(begin, middle, min(middle + u_runs.x, u_runs.y), index - begin);
}

// One halving: how many of the entries before the place are the first run's is from low to high.
void search(Pair pair, inout int low, inout int high) {
    if (low >= high) {
        return;
    }
    int taken = (low + high) >> 1;
    uint first = entry_at(pair.begin + taken).x;
    uint second = entry_at(pair.middle + pair.before - taken - 1).x;
    if (first <= second) {
        low = taken + 1;
    } else {
        high = taken;
    }
}
