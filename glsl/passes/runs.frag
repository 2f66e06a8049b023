// Sorts each eight entries in a row: the runs that a merge sort begins with. Each fragment ranks all
// eight, and writes the one that belongs at its place.
uniform usampler2D u_entries;

layout(location = 0) out uvec2 o_entry;

const int RUN = 8;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    int place = texel.x % RUN;
    uvec2 entries[RUN];
    int ranks[RUN];
    for (int i = 0; i < RUN; i++) {
        entries[i] = texelFetch(u_entries, ivec2(texel.x - place + i, texel.y), 0).xy;
        ranks[i] = 0;
        for (int j = 0; j < i; j++) {
            bool stays = entries[j].x <= entries[i].x;
            ranks[i] += stays ? 1 : 0;
            ranks[j] += stays ? 0 : 1;
        }
    }
    o_entry = entries[0];
    for (int i = 1; i < RUN; i++) {
        o_entry = ranks[i] == place ? entries[i] : o_entry;
    }
}
