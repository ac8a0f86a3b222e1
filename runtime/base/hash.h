/* hash.h - the one mixing function, for directory homes, checksums, generators and plan hashes. */
#ifndef PEN_HASH_H
#define PEN_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A bijection of 64-bit words in which every input bit reaches every output bit (the finaliser of
 * SplitMix64, Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t pen_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Map a mixed hash to [0, n) by its high bits, so that the low bits stay free for a table. n >= 1. */
static inline uint64_t pen_hash_range(uint64_t hash, uint64_t n) { return ((hash >> 32) * n) >> 32; }

/* A double in [0, 1) from a mixed hash. */
static inline double pen_hash_real(uint64_t hash) { return (double)(hash >> 11) * 0x1p-53; }

/* Hash of a byte string (8 bytes at a time through pen_mix). */
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

#endif
