#include "checkpoint/format.h"

#include <xxhash.h>

const char *pen_xxhash_version(void)
{
    static PEN_PER_RANK char text[32];
    const unsigned version = XXH_versionNumber();
    snprintf(text, sizeof text, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
    return text;
}

uint64_t pen_checksum(const void *bytes, int64_t size) { return XXH3_64bits(bytes, (size_t)size); }

uint64_t pen_checkpoint_header_checksum(const pen_checkpoint_header *header)
{
    return pen_checksum(header, (int64_t)offsetof(pen_checkpoint_header, checksum));
}

pen_status pen_checkpoint_line(MPI_Datatype *line)
{
    PEN_MPI(MPI_Type_contiguous((int)sizeof(pen_chunk), MPI_BYTE, line));
    PEN_MPI(MPI_Type_commit(line));
    return PEN_OK;
}
