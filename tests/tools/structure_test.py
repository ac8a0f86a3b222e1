#!/usr/bin/env python3
"""structure_test.py SOURCES BUILD - what holds of the sources as a whole, and of the objects that are built from them:
files name headers from their box, boxes include only what is below them, no files need each other in a circle, what
libraries and programs define has a prefix, no file is long and no line is wide, the top level has what belongs there.
Prints what is wrong, a line each."""

import json
import os
import re
import subprocess
import sys

# Every box: its folder, and the boxes that it stands on.
BOXES = {
    "base": ("runtime/base", []),
    "graph": ("runtime/graph", ["base"]),
    "observe": ("runtime/observe", ["base"]),
    "directory": ("directory", ["base"]),
    "view": ("balance/view", ["graph"]),
    "steer": ("balance/steer", ["view"]),
    "partition": ("balance/partition", ["view"]),
    "rebalance": ("balance/rebalance", ["partition"]),
    "balance": ("balance", ["rebalance"]),
    "workload": ("runtime/workload", ["directory"]),
    "store": ("runtime/store", ["graph", "directory", "partition"]),
    "halo": ("runtime/halo", ["store", "observe"]),
    "input": ("runtime/input", ["graph", "directory"]),
    "output": ("runtime/output", ["store"]),
    "run": ("runtime/run", ["halo", "balance", "steer", "workload", "input", "output"]),
    "strict": ("runtime/strict", ["run"]),
    "debug": ("runtime/debug", ["run"]),
    "balancing": ("runtime/balancing", ["run"]),
    "record": ("runtime/record", ["balancing"]),
    "results": ("runtime/results", ["balancing", "strict"]),
    "observables": ("runtime/observables", ["run"]),
    "active": ("runtime/active", ["observables", "strict"]),
    "inputs": ("runtime/inputs", ["run"]),
    "mail": ("runtime/mail", ["run"]),
    "checkpoint": ("runtime/checkpoint", ["strict"]),
    "loop": ("runtime/loop", ["checkpoint", "debug", "record", "results", "active", "inputs", "mail"]),
    "driver": ("runtime/driver", ["loop"]),
    "apps": ("apps", []),
    "tools": ("tools", ["driver", "workload"]),
    "tests": ("tests", ["tools", "apps"]),
}
PUBLIC = "runtime/include"  # by <name.h>, and by everybody
PREFIX, COMPILERS = "pen_", "__"  # beginnings of global symbols; a sanitizer adds some
REPLACING = "tools/comm/slow_tcp.c"
GENERATED = {"pen_build.h", "pen_layouts.h", "batch_cases.h"}  # by the build, in its own folder
LONGEST, WIDEST = 600, 120  # lines, columns
TOP = {"runtime", "directory", "balance", "apps", "tools", "tests", "CMakeLists.txt", "README.md", "LICENSE"}
# Variables that a process has once though its ranks may be threads; all others that change are PEN_PER_RANK.
ONCE = {
    ("runtime/base/marks.c", "of_process"): "what pen_marked points to, unless ranks are threads",
    ("runtime/base/host_memory.c", "number"): "the number of the process",
    ("runtime/base/members.c", "members_are_hidden"): "set by programs with a command line, never back",
    ("runtime/base/members.c", "option_at"): "set to the one table of options",
    ("runtime/base/numbers.c", "plain"): "made once",
    ("runtime/base/numbers.c", "once"): "by that",
    ("runtime/base/status.c", "message_handler"): "the program's",
    ("runtime/checkpoint/checkpointing.c", "asked"): "signals are the process's; each run counts what it has handled",
    ("runtime/checkpoint/checkpointing.c", "stopped"): "likewise",
    ("runtime/checkpoint/checkpointing.c", "listens"): "likewise",
    ("runtime/checkpoint/checkpointing.c", "catching"): "counts runs",
    ("runtime/checkpoint/checkpointing.c", "usual_asked"): "handlers are the process's",
    ("runtime/checkpoint/checkpointing.c", "usual_stopped"): "likewise",
    ("runtime/strict/traps.c", "before"): "likewise; no rank waits while they are replaced",
    ("runtime/strict/traps.c", "stack_before"): "likewise",
    ("runtime/strict/traps.c", "handler_stack"): "likewise",
}
LIBRARY = ("runtime/", "directory/", "balance/")
CHANGES = r"\S+ .{7} (\.data|\.bss|\.data\.rel|\.data\.rel\.local|\*COM\*)\t\S+ (?:\.hidden )?(\S+)$"  # of objdump -t
TEXTS = (".c", ".h", ".cpp", ".hpp", ".sh", ".bash", ".py", ".cmake", ".awk", "CMakeLists.txt")

SHARED = "tools/common"  # what a tool may include besides its own folder
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def below(box):
    return {box}.union(*(below(b) for b in BOXES[box][1]))


def box_of(path):
    """The box whose folder is the innermost one around the file."""
    around = [b for b, (folder, _) in BOXES.items() if path.startswith(folder + "/")]
    return max(around, key=lambda b: len(BOXES[b][0]), default=None)


def files_below(root):
    for folder, folders, names in os.walk(root):
        if "CMakeCache.txt" in names and folder != root:  # a build
            folders.clear()
            continue
        folders[:] = sorted(f for f in folders if f != ".git" and (f, folder) != ("build", root))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def is_text(root, path):
    """Source, or a script, which may have no extension."""
    if path.endswith(TEXTS):
        return True
    if "." in os.path.basename(path):
        return False
    with open(os.path.join(root, path), "rb") as file:
        return file.read(1) == b"#"


def node_of(path):
    """A .c file and the header of its name are one. A header of C++ is another one than that of C."""
    return path if path.endswith(".hpp") else os.path.splitext(path)[0]


def check_sizes(root, paths, wrong):
    for path in paths:
        lines = open(os.path.join(root, path), encoding="utf-8").read().splitlines()
        if len(lines) > LONGEST:
            wrong.append(f"{path}: {len(lines)} lines, at most {LONGEST}")
        for i, line in enumerate(lines):
            if len(line) > WIDEST:
                wrong.append(f"{path}:{i + 1}: {len(line)} columns, at most {WIDEST}")


def check_changes(root, wrong):
    """Debian's packages have this list, whose lines lintian wants to be short."""
    path = "tools/package/changelog.in"
    for i, line in enumerate(open(os.path.join(root, path), encoding="utf-8").read().splitlines()):
        if len(line) > 80 and line.startswith("  "):
            wrong.append(f"{path}:{i + 1}: {len(line)} columns, at most 80")


def check_addresses(root, texts, wrong):
    """Mail to .invalid reaches no one: such an address must say so."""
    for path in texts + [p for p in files_below(root) if p.startswith(("tools/package/", ".github/"))]:
        with open(os.path.join(root, path), errors="replace") as file:
            addresses = re.findall(r"[\w.+-]+@[\w.-]+\.invalid\b", file.read())
        for found in addresses:
            if not found.startswith("no-address-yet@"):
                wrong.append(f"{path}: {found} looks like an address: there is no address yet")


def check_top(root, wrong):
    """What lies there besides has been left behind, by a test that was ended, say."""
    for name in sorted(os.listdir(root)):
        if name not in TOP and not name.startswith((".", "build")):
            wrong.append(name + ": the top level has no such thing")


def check_files(root, sources, wrong):
    """Open MPI's files leave semaphores that block the next run, and end it where the temporary folder is full."""
    for path in sources:
        if not path.startswith("tests/") and "MPI_File_" in open(os.path.join(root, path), encoding="utf-8").read():
            wrong.append(f"{path}: MPI_File_ is not for the product: base/output.h writes")


def check_waits(root, sources, wrong):
    """A failure of an MPI call in which ranks wait for each other ends the program: base/status.c has their names."""
    text = {path: open(os.path.join(root, path), encoding="utf-8").read() for path in sources}
    known = set(re.findall(r'"(MPI_\w+)"', text["runtime/base/status.c"]))
    others = re.compile(r"MPI_(Comm|Group|Info|Init|Initialized|Is|Op|Query|Type|Win)(_|$)|MPI_Get_(proc|lib)|.*_init$")
    for path in sources:
        for name in set(re.findall(r"PEN_MPI\(\s*(MPI_\w+)", text[path])):
            if not path.startswith("tests/") and name not in known and not others.match(name):
                wrong.append(f"{path}: {name} is not in the list of is_waited_for in runtime/base/status.c")


def nested_conditionals(text):
    """Lines of a C file where a conditional operator stands in an operand of another one."""
    text = NOT_CODE.sub(lambda m: "\n" * m[0].count("\n"), text)
    open_ones, line = [False], 1  # for each bracket: is there a conditional in the expression so far
    for here in re.finditer(r"[\n?,;()\[\]{}]", text):
        what = here[0]
        line += what == "\n"
        if what == "?":
            if any(open_ones):
                yield line
            open_ones[-1] = True
        elif what in ("(", "[", "{"):
            open_ones.append(False)
        elif what in (")", "]", "}") and len(open_ones) > 1:
            open_ones.pop()
        if what in (",", ";", "}"):
            open_ones[-1] = False


def check_conditionals(root, sources, wrong):
    for path in sources:
        if not path.startswith("tests/"):
            for line in nested_conditionals(open(os.path.join(root, path), encoding="utf-8").read()):
                wrong.append(f"{path}:{line}: a conditional within a conditional")


def check_tools(needs, wrong):
    """Tools do not know each other."""
    for path, included in needs:
        folder = os.path.dirname(path)
        if folder.startswith("tools/") and os.path.dirname(included) not in (folder, SHARED) and \
                included.startswith("tools/"):
            wrong.append(f'{path}: "{included}" is another tool\'s: what two share is in {SHARED}')


def check_includes(root, sources, wrong):
    """Returns which node needs which, by what they include."""
    public = {os.path.basename(s) for s in sources if s.startswith(PUBLIC + "/")}
    headers = {os.path.basename(s) for s in sources if s.endswith(".h")}
    needs = []
    for path in sources:
        box = box_of(path)
        for mark, name in INCLUDE.findall(open(os.path.join(root, path), encoding="utf-8").read()):
            if mark == "<":
                if name in public:
                    needs.append((path, f"{PUBLIC}/{name}"))
                elif name in headers or name.split("/")[0] in BOXES:
                    wrong.append(f'{path}: <{name}> is no public header: name it from its box, in quotes')
                continue
            first, _, rest = name.partition("/")
            included = f"{BOXES[first][0]}/{rest}" if first in BOXES and rest else None
            if name in GENERATED:
                continue
            if name in public:
                wrong.append(f'{path}: "{name}" is public: <{name}>')
            elif ".." in name.split("/") or included not in sources or box_of(included) != first:
                wrong.append(f'{path}: "{name}" is not named from its box')
            else:
                needs.append((path, included))
                if box and first not in below(box):
                    wrong.append(f'{path}: "{name}" lies above {box}, or beside it')
    return needs


def objects_of(root, build):
    """[(object, source)] of what this build is made of."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            made = re.search(r' -o (\S+\.o)\b', entry["command"])
            path = os.path.join(entry["directory"], made.group(1))
            source = os.path.realpath(entry["file"])
            made_here = source.startswith(build + "/")
            its_folder = os.path.relpath(os.path.dirname(path), build).split("/")[0]
            source = os.path.relpath(source, root)
            borrowed = its_folder == "tests" and not source.startswith("tests/")  # compiled anew, to be measured
            if os.path.exists(path) and not borrowed and not made_here:
                yield path, source


def symbols(objects, *options):
    """{object: (defined, needed)}: its global symbols."""
    call = ["nm", "-P", "-A", "-g", *options, *objects]
    lines = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    found = {o: (set(), set()) for o in objects}
    for line in lines.splitlines():
        name, symbol, kind = re.match(r"(.*?)(?:\[[^]]*\])?: (\S+) (\S)", line).groups()
        if kind != "A":  # the names of symbol versions
            found[name][kind in "Uvw"].add(symbol)
    return found


def check_symbols(root, build, wrong):
    """Returns which node needs which, by the functions and variables that they use."""
    objects = dict(objects_of(root, build))
    if not objects:
        sys.exit(f"no objects in {build}")
    found = symbols(list(objects))
    unprefixed, defined_in, needs = set(), {}, []
    for path, source in objects.items():
        for symbol in found[path][0]:
            defined_in.setdefault(symbol, set()).add(source)
            # what a program and a plug-in must define, and what one program has in place of the C library's
            known = symbol in ("main", "penumbra_plugin") or source == REPLACING and symbol in ("poll", "readv")
            if not source.startswith("tests/") and not known and not symbol.startswith((PREFIX, COMPILERS)):
                unprefixed.add((source, symbol))
    for path, source in objects.items():
        for symbol in found[path][1]:
            homes = {node_of(s) for s in defined_in.get(symbol, ())}
            if len(homes) == 1:  # main and the like are in many programs
                needs.append((source, next(iter(homes))))
    for source, symbol in sorted(unprefixed):
        wrong.append(f"{source}: {symbol} is global, and does not begin with {PREFIX}")
    libraries = [f for f in files_below(build) if re.search(r"(^|/)libpenumbra\.so$", f)]
    for library in libraries:
        path = os.path.join(build, library)
        for symbol in sorted(symbols([path], "-D")[path][0]):
            if not symbol.startswith(PREFIX):
                wrong.append(f"{library}: exports {symbol}, which does not begin with {PREFIX}")
    return needs


def check_variables(root, build, wrong):
    """Ranks that are threads of one process share no variable that changes."""
    found = set()
    for path, source in objects_of(root, build):
        if not source.startswith(LIBRARY):
            continue
        call = ["objdump", "-t", path]
        for line in subprocess.run(call, check=True, capture_output=True, text=True).stdout.splitlines():
            symbol = re.match(CHANGES, line)
            if not symbol or symbol.group(2).startswith("."):
                continue
            variable = source, symbol.group(2).split(".")[0]
            found.add(variable)
            if variable not in ONCE and not variable[1].startswith(COMPILERS):
                wrong.append(f"{source}: the ranks of a process would share {variable[1]}: PEN_PER_RANK")
    for source, name in sorted(set(ONCE) - found):
        if os.path.exists(os.path.join(root, source)) and any(s == source for _, s in objects_of(root, build)):
            wrong.append(f"structure_test.py: {source} has no variable {name}")


def check_circles(needs, wrong):
    """Strongly connected sets of more than one node (Tarjan)."""
    graph = {}
    for one, other in needs:
        one, other = node_of(one), node_of(other)
        graph.setdefault(one, set())
        graph.setdefault(other, set())
        if one != other:
            graph[one].add(other)
    number, low, stack, on_stack = {}, {}, [], set()

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        for other in sorted(graph[node]):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            circle = []
            while not circle or circle[-1] != node:
                circle.append(stack.pop())
                on_stack.discard(circle[-1])
            if len(circle) > 1:
                wrong.append("these need each other: " + ", ".join(sorted(circle)))

    for node in sorted(graph):
        if node not in number:
            visit(node)


def main():
    root, build = (os.path.realpath(a) for a in sys.argv[1:])
    wrong = []
    texts = [p for p in files_below(root) if is_text(root, p)]
    sources = {p for p in texts if p.endswith((".c", ".h", ".cpp", ".hpp"))}
    check_top(root, wrong)
    check_changes(root, wrong)
    check_addresses(root, texts, wrong)
    check_sizes(root, texts, wrong)
    check_files(root, sorted(sources), wrong)
    check_waits(root, sorted(sources), wrong)
    check_conditionals(root, sorted(sources), wrong)
    includes = check_includes(root, sorted(sources), wrong)
    check_tools(includes, wrong)
    check_circles(includes + check_symbols(root, build, wrong), wrong)
    check_variables(root, build, wrong)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
