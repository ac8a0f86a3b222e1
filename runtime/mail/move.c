/* move.c - carries mailboxes through changes of the store. */
#include "base/memory.h"
#include "mail/mail.h"
#include "store/change.h"

pen_status pen_mail_prepare_change(pen_run *run, void *state, const pen_change *change)
{
    return PEN_OK;
}

void pen_mail_commit_change(pen_run *run, void *state, const pen_change *change)
{
}
