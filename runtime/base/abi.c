#include "base/abi.h"
#include "base/memory.h"

pen_abi pen_abi_of(const pen_abi *theirs)
{
    pen_abi abi = { .size = 0 };
    memcpy(&abi, theirs, theirs->size < sizeof abi ? theirs->size : sizeof abi);
    return abi;
}

pen_status pen_adopt(const char *what, const void *theirs, size_t had, void *ours, size_t size)
{
    memset(ours, 0, size);
    memcpy(ours, theirs, had < size ? had : size);
    for (size_t i = size; i < had; i++)
        if (((const unsigned char *)theirs)[i] != 0)
            return pen_fail(PEN_ERR_UNSUPPORTED,
                            "%s: the program uses features that Penumbra %s lacks: it was built for a newer version",
                            what, pen_version());
    return PEN_OK;
}

pen_status pen_adopt_groups(const char *what, const void *theirs, size_t had, void *ours, size_t size, int count,
                            const pen_abi_group *groups)
{
    const unsigned char *from = theirs;
    unsigned char *to = ours;
    size_t read = groups[0].theirs.at, written = groups[0].ours.at; /* how far both structures are copied */
    PEN_TRY(pen_adopt(what, from, read, to, written));
    for (int g = 0; g < count; g++) {
        const pen_abi_part *had_part = &groups[g].theirs, *part = &groups[g].ours;
        PEN_TRY(pen_adopt(groups[g].what, from + had_part->at, had_part->size, to + part->at, part->size));
        if (had_part->size > 0) read = had_part->at + had_part->size;
        written = part->at + part->size;
    }
    return pen_adopt(what, from + read, had - read, to + written, size - written);
}

pen_status pen_adopt_table(const char *what, const void *theirs, int64_t count, size_t had, void *table, size_t size)
{
    unsigned char *copies = NULL;
    pen_status status = PEN_OK;
    if (theirs && count > 0) status = pen_alloc(&copies, count, size);
    for (int64_t i = 0; copies && status == PEN_OK && i < count; i++)
        status = pen_adopt(what, (const unsigned char *)theirs + (size_t)i * had, had, copies + (size_t)i * size, size);
    memcpy(table, &copies, sizeof copies);
    return status;
}

int64_t pen_options_count(const void *theirs, size_t had)
{
    int64_t count = 0;
    if (!theirs) return 0;
    for (const char *at = theirs; *(const char *const *)(const void *)at; at += had) count++; /* the name comes first */
    return count;
}
