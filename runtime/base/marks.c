/* marks.c - the marks of this process's activity. */
#include "base/marks.h"

static pen_marks of_process = { .step = -1, .awaited = -1 };
PEN_PER_RANK pen_marks *pen_marked = &of_process;

pen_within pen_within_enter(const char *function)
{
    pen_within before = { PEN_MARK_OF(within), PEN_MARK_OF(doing), PEN_MARK_OF(step) };
    PEN_MARK(within, before.function ? before.function : function);
    pen_mark_doing(NULL);
    return before;
}

void pen_within_leave(const pen_within *before)
{
    PEN_MARK(within, before->function);
    PEN_MARK(step, before->step);
    pen_mark_doing(before->doing);
}

_Thread_local const char *pen_inside;

const char *pen_inside_enter(const char *name)
{
    const char *before = pen_inside;
    pen_inside = name;
    return before;
}

void pen_inside_leave(const char *const *before) { pen_inside = *before; }
