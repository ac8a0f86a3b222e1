# Completion for Penumbra's programs, also after mpirun: options are asked of the program itself, so that they are
# those of its version; so are names that it can list.

_penumbra_ask() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@" 2>/dev/null </dev/null; }

_penumbra() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} command=() list= lists=("$1")
    # "--name=value" is three words to bash.
    local option=
    if [ "$word" = "=" ]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} word=
    elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = "=" ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case ${program##*/} in
    pen-graph | pen-plot | pen-sim) [ "$COMP_CWORD" -gt 1 ] && command=("${COMP_WORDS[1]}") ;;
    esac
    [[ ${program##*/} != pen-@(graph|sim) ]] || lists=("${program%pen-*}pen-graph" part) # whose --list is for both
    case $option in
    --partitioner) list=--list=partitioners ;;
    --balancer) list=--list=balancers ;;
    --machine)
        mapfile -t COMPREPLY < <(compgen -f -W "flat host hypercube: torus: tree: clusters:" -- "$word")
        return
        ;;
    --comm) list=--list=comm ;;
    --generate) list=--list=generators ;;
    --list) COMPREPLY=($(compgen -W "partitioners balancers machines comm generators" -- "$word")) && return ;;
    --load) COMPREPLY=($(compgen -W "measured declared" -- "$word")) && return ;;
    --balance-when) COMPREPLY=($(compgen -W "auto change change:always every:" -- "$word")) && return ;;
    --progress) COMPREPLY=($(compgen -W "auto on off" -- "$word")) && return ;;
    esac
    if [ -n "$list" ]; then
        local names
        names=$(_penumbra_ask "${lists[@]}" $list | sed -n 's/^\([a-z][a-z0-9-]*\)[ :].*/\1/p')
        COMPREPLY=($(compgen -W "$names" -- "$word"))
    elif [ -n "$option" ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(_penumbra_ask "$program" ${command[@]+"${command[@]}"} --help |
            sed -n 's/^  \(--[a-z-]*=\{0,1\}\).*/\1/p')" -- "$word"))
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    elif [ "$COMP_CWORD" -eq 1 ] && [ ${#command[@]} -eq 0 ] && [[ ${program##*/} == pen-@(graph|plot|sim) ]]; then
        COMPREPLY=($(compgen -W "$(_penumbra_ask "$program" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')" -- "$word"))
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
