/* penumbra_random.h - counter-based random numbers, and a fast hash of 64-bit words.
 *
 * The generator is Threefry-2x64-20 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC'11),
 * with the results of Random123. penumbra_nodes.h includes this header; its pen_random uses pen_threefry. All functions
 * are Local and pure: their results depend only on their arguments. */
#ifndef PENUMBRA_RANDOM_H
#define PENUMBRA_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Local. Compute two random words from a counter and a key. Every value of `counter` and `key` is legal; `random`
 * receives the result. For one key the function is a bijection of the counter. Words of
 * different counters or keys pass all common statistical tests of independence. */
static inline void pen_threefry(const uint64_t counter[2], const uint64_t key[2], uint64_t random[2])
{
    static const unsigned rotations[8] = { 16, 42, 12, 31, 16, 32, 24, 21 };
    const uint64_t keys[3] = { key[0], key[1], UINT64_C(0x1bd11bdaa9fc1a22) ^ key[0] ^ key[1] };
    uint64_t x = counter[0] + key[0], y = counter[1] + key[1];
#pragma GCC unroll 20 /* then rotations and indices are constants, which makes it three times as fast */
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

/* Local. Hash a word, or draw a random word from a state. It is a bijection in which every input bit affects every
 * output bit: the output function of SplitMix64 (Steele, Lea and Flood: Fast splittable pseudorandom number generators;
 * OOPSLA 2014). It is faster than Threefry. For a sequence of draws, the next state is x + PEN_MIX_STEP. */
#define PEN_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t pen_mix(uint64_t x)
{
    x += PEN_MIX_STEP;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Local. Return the upper 64 bits of the 128-bit product of the words a and b. */
static inline uint64_t pen_upper_product(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT64_C(0xffffffff);
    uint64_t one = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32), other = (a & low) * (b >> 32) + (one & low);
    return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

/* Local. Convert a random word to an integer in [0, n), or to a real number in [0, 1). n > 0; each integer has a
 * probability that differs from 1 / n by less than 2^-64. Reals are multiples of 2^-53, all equally probable. */
static inline int64_t pen_below(uint64_t word, int64_t n) { return (int64_t)pen_upper_product(word, (uint64_t)n); }
static inline double pen_unit_real(uint64_t word) { return (double)(word >> 11) * (1.0 / 9007199254740992.0); }

#ifdef __cplusplus
}
#endif

#endif
