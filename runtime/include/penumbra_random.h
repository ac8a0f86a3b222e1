/* penumbra_random.h - random numbers by counting: Threefry-2x64-20 (Salmon, Moraes, Dror, Shaw: Parallel random
 * numbers: as easy as 1, 2, 3; SC'11), as in Random123. Included by penumbra_types.h, whose pen_random is made of it;
 * all functions here are Local and pure. */
#ifndef PENUMBRA_RANDOM_H
#define PENUMBRA_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A bijection of the counter for every key: random[2] of counter[2] and key[2]. Any two different counters, or keys,
 * give words that no statistical test in use tells from independent ones. */
static inline void pen_threefry(const uint64_t counter[2], const uint64_t key[2], uint64_t random[2])
{
    static const unsigned rotations[8] = { 16, 42, 12, 31, 16, 32, 24, 21 };
    const uint64_t keys[3] = { key[0], key[1], UINT64_C(0x1bd11bdaa9fc1a22) ^ key[0] ^ key[1] };
    uint64_t x = counter[0] + key[0], y = counter[1] + key[1];
    for (unsigned i = 0; i < 20; i++) {
        unsigned by = rotations[i % 8], word = i / 4 + 1;
        x += y;
        y = (y << by | y >> (64 - by)) ^ x;
        if (i % 4 != 3) continue;
        x += keys[word % 3];
        y += keys[(word + 1) % 3] + word;
    }
    random[0] = x;
    random[1] = y;
}

/* A bijection of words in which every input bit reaches every output bit: what SplitMix64 draws from a state (Steele,
 * Lea and Flood: Fast splittable pseudorandom number generators; OOPSLA 2014). Faster than Threefry, for hashes, and
 * for draws one after the other where the next state is x + PEN_MIX_STEP. */
#define PEN_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t pen_mix(uint64_t x)
{
    x += PEN_MIX_STEP;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The upper half of the product of two words. */
static inline uint64_t pen_upper_product(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT64_C(0xffffffff);
    uint64_t one = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32), other = (a & low) * (b >> 32) + (one & low);
    return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

/* From a random word: an integer in [0, n), n > 0, each with a probability that differs from 1 / n by less than 2^-64;
 * a multiple of 2^-53 in [0, 1), all equally probable. */
static inline int64_t pen_below(uint64_t word, int64_t n) { return (int64_t)pen_upper_product(word, (uint64_t)n); }
static inline double pen_unit_real(uint64_t word) { return (double)(word >> 11) * (1.0 / 9007199254740992.0); }

#ifdef __cplusplus
}
#endif

#endif
