/* hash.h - hashes of bytes and words made of pen_mix, for directory homes, checksums, generators and plan hashes. */
#pragma once

#include <penumbra_random.h>
#include <stddef.h>

/* Map a mixed hash to [0, n) by its high bits, so that the low bits stay free for a table. n >= 1. */
static inline uint64_t pen_hash_range(uint64_t hash, uint64_t n) { return ((hash >> 32) * n) >> 32; }

/* Hash of a byte string, 8 bytes at a time through pen_mix. It serves names, records and the blocks of a workload.
 * Checkpoints use XXH3, which is five times as fast. Binary graphs use a sum that ranks add up in shares
 * (graph/binary.h), which XXH3 does not permit. */
static inline uint64_t pen_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t hash = pen_mix(size);
    for (; size > 0; p += size < 8 ? size : 8, size -= size < 8 ? size : 8) {
        uint64_t word = 0;
        for (size_t i = 0; i < (size < 8 ? size : 8); i++) word |= (uint64_t)p[i] << (8 * i);
        hash = pen_mix(hash ^ word);
    }
    return hash;
}
