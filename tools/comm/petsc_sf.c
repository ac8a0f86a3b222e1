/* petsc_sf.c - PETSc's PetscSF as a competitor. */
#include "tools/comm/petsc_sf.h"
#include "base/memory.h"

#ifdef COMM_PETSC

#include <petscsf.h>
#include <stdlib.h>

static const struct {
    const char *name, *type;
    bool one_sided;
} back_ends[] = {
    { "petsc-basic", PETSCSFBASIC, false },
    { "petsc-neighbor", PETSCSFNEIGHBOR, false },
    { "petsc-window", PETSCSFWINDOW, true },
};

enum { BACK_ENDS = sizeof back_ends / sizeof back_ends[0] };

struct petsc_sf {
    PetscSF sf;
    MPI_Datatype record;
};

static int find(const char *name)
{
    int i = 0;
    while (strcmp(back_ends[i].name, name) != 0) i++;
    return i;
}

const char *pen_petsc_sf_name(int i) { return i < BACK_ENDS ? back_ends[i].name : NULL; }
bool pen_petsc_sf_one_sided(const char *name) { return back_ends[find(name)].one_sided; }

static pen_status fail(PetscErrorCode code, const char *name)
{
    const char *text = NULL;
    if (!code) return PEN_OK;
    if (PetscErrorMessage(code, &text, NULL)) text = NULL;
    return pen_fail(PEN_ERR_ENVIRONMENT, "%s: PETSc: %s", name, text ? text : "unknown error");
}

/* Collective. Initialise PETSc, in the first call. From then on PETSc returns its errors instead of ending the
 * program. */
static pen_status start(void)
{
    PetscBool started = PETSC_FALSE;
    PetscErrorCode code = PetscInitialized(&started);
    if (!code && started) return PEN_OK;
    char name[] = "pen-comm", option[] = "-no_signal_handler", *list[] = { name, option, NULL }, **arguments = list;
    int count = 2;
    if (!code) code = PetscInitialize(&count, &arguments, NULL, NULL);
    if (!code) code = PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    return fail(code, "PetscInitialize");
}

static PetscErrorCode pull(petsc_sf *sf, const unsigned char *roots, unsigned char *leaves)
{
    PetscErrorCode code = PetscSFBcastBegin(sf->sf, sf->record, roots, leaves, MPI_REPLACE);
    return code ? code : PetscSFBcastEnd(sf->sf, sf->record, roots, leaves, MPI_REPLACE);
}

/* Set up PetscSF, with a first pull, which creates windows. */
static PetscErrorCode set_up(petsc_sf *sf, const pen_store *store, const char *type, PetscSFNode *roots)
{
    PetscInt leaf = 0;
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++)
            roots[leaf++] = (PetscSFNode){ .rank = store->producers[p].rank, .index = store->producers[p].slots[i] };
    PetscErrorCode code = PetscSFCreate(store->comm->mpi, &sf->sf);
    if (!code) code = PetscSFSetType(sf->sf, type);
    if (!code) code = PetscSFSetGraph(sf->sf, store->owned, leaf, NULL, PETSC_COPY_VALUES, roots, PETSC_COPY_VALUES);
    if (!code) code = PetscSFSetUp(sf->sf);
    unsigned char *plane = pen_store_plane(store, 0, 1);
    return code ? code : pull(sf, plane, plane + (size_t)store->owned * store->sizes[0]);
}

pen_status pen_petsc_sf_create(const pen_store *store, const char *name, petsc_sf **sf)
{
    petsc_sf *s = NULL;
    PetscSFNode *roots = NULL;
    int size = 0;
    PEN_TRY(pen_agree(store->comm, start()));
    pen_status status = PEN_ALLOC_ZERO(&s, 1);
    if (status == PEN_OK) {
        s->record = MPI_DATATYPE_NULL;
        status = PEN_ALLOC(&roots, store->shadows);
    }
    if (status == PEN_OK) status = pen_to_int((int64_t)store->sizes[0], "a record's size in bytes", &size);
    status = pen_agree(store->comm, status);
    if (status == PEN_OK) {
        MPI_Type_contiguous(size, MPI_BYTE, &s->record);
        MPI_Type_commit(&s->record);
        status = pen_agree(store->comm, fail(set_up(s, store, back_ends[find(name)].type, roots), name));
    }
    free(roots);
    if (status == PEN_OK) {
        *sf = s;
    } else if (s) {
        s->sf = NULL; /* PETSc cannot destroy an object whose set-up has failed */
        pen_petsc_sf_destroy(&s);
    }
    return status;
}

void pen_petsc_sf_pull(petsc_sf *sf, const unsigned char *roots, unsigned char *leaves)
{
    PetscErrorCode code = pull(sf, roots, leaves);
    if (code) pen_die("PetscSFBcast: error %d", (int)code);
}

void pen_petsc_sf_destroy(petsc_sf **sf)
{
    if (!sf || !*sf) return;
    if (PetscSFDestroy(&(*sf)->sf)) pen_die("PetscSFDestroy failed");
    if ((*sf)->record != MPI_DATATYPE_NULL) MPI_Type_free(&(*sf)->record);
    free(*sf);
    *sf = NULL;
}

void pen_petsc_sf_finish(void)
{
    PetscBool started = PETSC_FALSE;
    if (!PetscInitialized(&started) && started && PetscFinalize()) pen_die("PetscFinalize failed");
}

#else

const char *pen_petsc_sf_name(int i) { return NULL; }
bool pen_petsc_sf_one_sided(const char *name) { return false; }
pen_status pen_petsc_sf_create(const pen_store *store, const char *name, petsc_sf **sf)
{
    return pen_fail(PEN_ERR_UNSUPPORTED, "%s: built without PETSc", name);
}
void pen_petsc_sf_pull(petsc_sf *sf, const unsigned char *roots, unsigned char *leaves) {}
void pen_petsc_sf_destroy(petsc_sf **sf) {}
void pen_petsc_sf_finish(void) {}

#endif
