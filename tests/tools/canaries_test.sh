#!/bin/bash
# canaries_test.sh BIN - whatever happens to a canary is noticed (tests/support/canaries.sh), at a test's end, too.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/support.bash"
mkdir place

# noticed TEXT COMMAND [ARGUMENT ...]: what the command does in a folder with canaries
noticed()
{
    local text=$1 status said
    shift
    bash "$here/../support/canaries.sh" place records place || complain "no canaries are placed"
    (cd place && eval "$@") >/dev/null
    said=$(bash "$here/../support/canaries.sh" compare records 2>&1)
    status=$?
    [ $status -eq 1 ] && grep -qF -e "$work/place/$text" <<<"$said" ||
        complain "$*: status $status, said \"$said\", without \"$text\""
    rm -rf place && mkdir place
}
noticed "keep-me.txt is gone" rm -f keep-me.txt
noticed "keep.dump.unfinished-0123456789abcdef is gone" 'rm *.unfinished-*'
noticed "keep-me.txt changed its content" 'chmod u+w keep-me.txt; echo >>keep-me.txt; chmod u-w keep-me.txt'
noticed ".keep-me changed its inode" 'cp .keep-me x; mv x .keep-me'
noticed "keep;me,too:please.csv changed its time" touch '*,*'
noticed "keep-me.txt changed its mode: 440, now 640" chmod u+w keep-me.txt
noticed "lock changed its content" 'echo 1 >lock'
noticed "keep-link changed its target: keep-me.txt, now lock" ln -sf lock keep-link
noticed "keep-link changed its type: l, now f" 'rm keep-link; echo >keep-link'
noticed "keep-absent came to be" 'echo >keep-dangling'
noticed "keep-fifo changed its type: p, now f" 'rm keep-fifo; echo >keep-fifo'
noticed "keep-folder/new came to be" mkdir keep-folder/new
noticed "keep-folder/lock is gone" rm keep-folder/lock
noticed "keep-folder/deeper/.leaf.npy changed its content" 'echo >keep-folder/deeper/.leaf.npy'

# Not noticed: new files, in which the canaries' folder is read, too.
canaries --checkpoints place
echo >place/lock
cat place/keep-me.txt place/lock >place/new
[ "$(others_in place)" = new ] || complain "others in the folder: $(others_in place)"
remove_folder place
[ ! -e place ] && [ ! -s "$canary_records/told" ] || complain "a folder that is removed: $(cat "$canary_records/told")"

# At the end of a script, whichever it is.
for ending in "rm lock; finish" "rm lock; skip none" "rm lock; exit 0" "rm lock; cd /" \
    "mkdir a && canaries a && rm a/lock && remove_folder a"; do
    printf '. "%s"\n%s\n' "$here/support.bash" "$ending" >script
    said=$(bash script . 2>&1)
    status=$?
    [ $status -eq 1 ] && grep -qF "/lock is gone" <<<"$said" ||
        complain "a script that ends by $ending: status $status, said \"$said\""
done
finish
