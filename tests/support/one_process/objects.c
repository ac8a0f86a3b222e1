/* objects.c - what handles stand for: datatypes, operations, groups, infos. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

/* ---- Objects ------------------------------------------------------------------------------------------ */

enum { ALIVE = 0x51a11fe, FREED = 0xdead };

void *sim_new(sim_kind kind, size_t size)
{
    sim_object *o = sim_allocate(size);
    *o = (sim_object){ ALIVE, kind, sim_me->call, sim_me->place, NULL, sim_me->objects };
    if (o->after) o->after->before = o;
    sim_me->objects = o;
    return o;
}

void *sim_of(sim_kind kind, const void *handle)
{
    static const char *const names[] = { "",     "communicator", "group",   "datatype", "operation",
                                         "info", "request",      "message", "window" };
    union {
        const void *handle;
        sim_object *object;
    } any = { handle };
    if (!handle || any.object->magic != ALIVE || any.object->kind != kind)
        sim_wrong("%s gets what is no %s, or was freed", sim_me->call, names[kind]);
    return any.object;
}

void sim_free(sim_kind kind, void *object)
{
    sim_object *o = sim_of(kind, object);
    if (o->after) o->after->before = o->before;
    if (o->before) o->before->after = o->after;
    else sim_me->objects = o->after;
    o->magic = FREED;
    free(o);
}

void sim_look_for_leaks(void)
{
    for (const sim_object *o = sim_me->objects; o && !sim.faulted; o = o->after)
        if (o->call) sim_wrong("what %s has made is never freed", o->call);
}

/* ---- Datatypes: all are so many bytes ------------------------------------------------------------------- */

typedef struct sim_type {
    sim_object object;
    size_t size;
    bool committed;
} sim_type;

static size_t size_of(MPI_Datatype type, bool moves)
{
    if (type == MPI_BYTE || type == MPI_CHAR || type == MPI_INT8_T || type == MPI_UINT8_T || type == MPI_SIGNED_CHAR ||
        type == MPI_UNSIGNED_CHAR || type == MPI_C_BOOL)
        return 1;
    if (type == MPI_INT16_T || type == MPI_UINT16_T || type == MPI_SHORT) return 2;
    if (type == MPI_INT || type == MPI_INT32_T || type == MPI_UINT32_T || type == MPI_UNSIGNED || type == MPI_FLOAT)
        return 4;
    if (type == MPI_INT64_T || type == MPI_UINT64_T || type == MPI_DOUBLE || type == MPI_LONG ||
        type == MPI_LONG_LONG || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG || type == MPI_AINT)
        return 8;
    if (type == MPI_DATATYPE_NULL) return 0;
    const sim_type *t = sim_of(SIM_TYPE, type);
    if (moves && !t->committed) sim_wrong("%s of a datatype that is not committed", sim_me->call);
    return t->size;
}

size_t sim_size_of(MPI_Datatype type) { return size_of(type, true); }

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    SIM_ENTER("MPI_Type_contiguous");
    sim_type *t = sim_new(SIM_TYPE, sizeof *t);
    t->size = (size_t)count * size_of(type, false);
    *made = (MPI_Datatype)(void *)t;
    return SIM_LEAVE();
}

int MPI_Type_commit(MPI_Datatype *type)
{
    SIM_ENTER("MPI_Type_commit");
    ((sim_type *)sim_of(SIM_TYPE, *type))->committed = true;
    return SIM_LEAVE();
}

int MPI_Type_free(MPI_Datatype *type)
{
    SIM_ENTER("MPI_Type_free");
    sim_free(SIM_TYPE, *type);
    *type = MPI_DATATYPE_NULL;
    return SIM_LEAVE();
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    SIM_ENTER("MPI_Type_size");
    *size = (int)size_of(type, false);
    return SIM_LEAVE();
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    SIM_ENTER("MPI_Get_count");
    const size_t size = sim_size_of(type);
    if (size == 0) *count = 0;
    else if (status->_ucount % size != 0) *count = MPI_UNDEFINED;
    else *count = (int)(status->_ucount / size);
    return SIM_LEAVE();
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)(intptr_t)location;
    return MPI_SUCCESS;
}

/* ---- Operations ------------------------------------------------------------------------------------------- */

typedef struct sim_op {
    sim_object object;
    MPI_User_function *combining;
    bool commutes;
} sim_op;

int MPI_Op_create(MPI_User_function *combining, int commutes, MPI_Op *made)
{
    SIM_ENTER("MPI_Op_create");
    sim_op *o = sim_new(SIM_OP, sizeof *o);
    o->combining = combining;
    o->commutes = commutes != 0;
    *made = (MPI_Op)(void *)o;
    return SIM_LEAVE();
}

int MPI_Op_free(MPI_Op *op)
{
    SIM_ENTER("MPI_Op_free");
    sim_free(SIM_OP, *op);
    *op = MPI_OP_NULL;
    return SIM_LEAVE();
}

static bool is_predefined(MPI_Op op)
{
    return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD || op == MPI_BOR || op == MPI_BAND ||
           op == MPI_LOR || op == MPI_LAND;
}

bool sim_commutes(MPI_Op op) { return is_predefined(op) || ((sim_op *)sim_of(SIM_OP, op))->commutes; }

#define COMBINE(type)                                                    \
    do {                                                                 \
        type *r = result;                                                \
        const type *p = part;                                            \
        for (int i = 0; i < count; i++)                                  \
            r[i] = (type)(op == MPI_SUM    ? p[i] + r[i]                 \
                          : op == MPI_PROD ? p[i] * r[i]                 \
                          : op == MPI_MAX  ? (p[i] > r[i] ? p[i] : r[i]) \
                          : op == MPI_MIN  ? (p[i] < r[i] ? p[i] : r[i]) \
                          : op == MPI_LOR  ? (p[i] != 0 || r[i] != 0)    \
                                           : (p[i] != 0 && r[i] != 0));   \
    } while (0)

/* result = part op result */
void sim_combine(void *result, const void *part, int count, MPI_Datatype type, MPI_Op op)
{
    const size_t bytes = (size_t)count * sim_size_of(type);
    if (!is_predefined(op)) {
        union {
            const void *from;
            void *to;
        } same = { part };
        int length = count;
        const sim_op *o = sim_of(SIM_OP, op);
        sim_ignore(false);
        o->combining(same.to, result, &length, &type);
        sim_ignore(true);
    } else if (op == MPI_BOR || op == MPI_BAND) {
        unsigned char *r = result;
        const unsigned char *p = part;
        for (size_t i = 0; i < bytes; i++) r[i] = (unsigned char)(op == MPI_BOR ? r[i] | p[i] : r[i] & p[i]);
    } else if (type == MPI_INT || type == MPI_INT32_T) COMBINE(int32_t);
    else if (type == MPI_UNSIGNED || type == MPI_UINT32_T) COMBINE(uint32_t);
    else if (type == MPI_INT64_T || type == MPI_LONG || type == MPI_LONG_LONG) COMBINE(int64_t);
    else if (type == MPI_UINT64_T || type == MPI_UNSIGNED_LONG) COMBINE(uint64_t);
    else if (type == MPI_DOUBLE) COMBINE(double);
    else if (type == MPI_FLOAT) COMBINE(float);
    else if (type == MPI_UINT8_T || type == MPI_UNSIGNED_CHAR) COMBINE(uint8_t);
    else sim_wrong("%s reduces a datatype that the simulator does not know", sim_me->call);
}

int MPI_Reduce_local(const void *part, void *result, int count, MPI_Datatype type, MPI_Op op)
{
    SIM_ENTER("MPI_Reduce_local");
    const size_t bytes = (size_t)count * sim_size_of(type);
    unsigned char *copies = sim_allocate(2 * bytes + 1);
    sim_copy(copies, part, bytes);
    sim_copy(copies + bytes, result, bytes);
    sim_combine(copies + bytes, copies, count, type, op);
    sim_copy(result, copies + bytes, bytes);
    free(copies);
    return SIM_LEAVE();
}

/* ---- Groups -------------------------------------------------------------------------------------------------- */

sim_group *sim_group_new(int size)
{
    sim_group *g = sim_new(SIM_GROUP, sizeof *g + (size_t)size * sizeof *g->numbers);
    g->size = size;
    return g;
}

int MPI_Group_incl(MPI_Group from, int count, const int ranks[], MPI_Group *made)
{
    SIM_ENTER("MPI_Group_incl");
    const sim_group *all = sim_of(SIM_GROUP, from);
    sim_group *g = sim_group_new(count);
    for (int i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= all->size) sim_wrong("MPI_Group_incl: rank %d of %d", ranks[i], all->size);
        g->numbers[i] = all->numbers[ranks[i]];
    }
    *made = (MPI_Group)(void *)g;
    return SIM_LEAVE();
}

int MPI_Group_translate_ranks(MPI_Group from, int count, const int ranks[], MPI_Group to, int translated[])
{
    SIM_ENTER("MPI_Group_translate_ranks");
    const sim_group *a = sim_of(SIM_GROUP, from), *b = sim_of(SIM_GROUP, to);
    for (int i = 0; i < count; i++) {
        translated[i] = MPI_UNDEFINED;
        for (int r = 0; r < b->size; r++)
            if (b->numbers[r] == a->numbers[ranks[i]]) translated[i] = r;
    }
    return SIM_LEAVE();
}

int MPI_Group_size(MPI_Group group, int *size)
{
    SIM_ENTER("MPI_Group_size");
    *size = ((sim_group *)sim_of(SIM_GROUP, group))->size;
    return SIM_LEAVE();
}

int MPI_Group_free(MPI_Group *group)
{
    SIM_ENTER("MPI_Group_free");
    sim_free(SIM_GROUP, *group);
    *group = MPI_GROUP_NULL;
    return SIM_LEAVE();
}

/* ---- Infos: which keys are true --------------------------------------------------------------------------------- */

typedef struct sim_info {
    sim_object object;
    bool noncontiguous;
} sim_info;

int MPI_Info_create(MPI_Info *made)
{
    SIM_ENTER("MPI_Info_create");
    *made = (MPI_Info)sim_new(SIM_INFO, sizeof(sim_info));
    return SIM_LEAVE();
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    SIM_ENTER("MPI_Info_set");
    sim_info *i = sim_of(SIM_INFO, info);
    if (strcmp(key, "alloc_shared_noncontig") == 0) i->noncontiguous = strcmp(value, "true") == 0;
    return SIM_LEAVE();
}

int MPI_Info_free(MPI_Info *info)
{
    SIM_ENTER("MPI_Info_free");
    sim_free(SIM_INFO, *info);
    *info = MPI_INFO_NULL;
    return SIM_LEAVE();
}

bool sim_info_says(MPI_Info info, const char *key)
{
    return info != MPI_INFO_NULL && strcmp(key, "alloc_shared_noncontig") == 0 &&
           ((sim_info *)sim_of(SIM_INFO, info))->noncontiguous;
}
