"""sites.py - the places of a C file at which a fault can be put, from clang's syntax tree. A site is (kind, begin, end,
new): what replaces the bytes begin..end of the file. What is left out has a reason, next to its rule."""

import re

from clang import cindex
from clang.cindex import CursorKind, TypeKind

KINDS = "operator", "constant", "condition", "call", "arguments", "return"
OTHERS = {
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"],
    "^": ["&"], "&&": ["||"], "||": ["&&"], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
    "<<=": [">>="], ">>=": ["<<="], "++": ["--"], "--": ["++"],
}
OPERATORS = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
LOOPS = {CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.FOR_STMT}

RELEASE = r"\w*free|free_\w+|\w*destroy|destroy_\w+|\w*close|close_\w+|closedir"

# Calls and macros within which nothing is changed. Their own removal is left out, too.
SILENT = {
    "messages: tests compare few of them": r"pen_fail|pen_warn|pen_die|pen_\w*_wrong|pen_graph_came_from|v?f?printf|"
                                           r"PEN_ARGUMENT|pen_given",
    "invariants: they find faults, and are none": r"PEN_INVARIANT|_Static_assert",
    "marks for the watchdog": r"PEN_MARK|PEN_WITHIN|PEN_INSIDE|pen_mark_\w+",
    "advice to the system": r"MPI_Info_\w+|pen_patience\w*|madvise|posix_fadvise|posix_madvise|sched_yield|nanosleep|"
                            r"\w*prefetch",
    "memory that is given back: the sanitizer looks for leaks": RELEASE + r"|PEN_FREE_ALL|munmap|pen_return_freed",
    "the room of arrays: the sanitizer looks for what is outside": r"malloc|calloc|realloc|PEN_ALLOC|PEN_ALLOC_ZERO|"
                                                                   r"PEN_REALLOC|pen_reserve|pen_alloc\w*|pen_realloc",
}
SILENT_NAMES = re.compile("(?:%s)" % "|".join(SILENT.values()))
# Where order does not matter.
SAME_EITHER_WAY = re.compile(r"strn?cmp|memcmp|strpbrk|f?min|f?max|\w+_(?:min|max)")
# What does nothing with no elements needs no condition that there are some.
OF_ELEMENTS = re.compile(r"mem(?:cpy|move|set)\(|qsort\(|for \(")
# Files that decide about speed alone: by times of a machine, and by how far apart neighbours are in memory.
SPEED = "runtime/halo/costs.c", "runtime/store/ordering.c"
# A fault in a function that deletes or ends something is not let loose on the machine that tests it.
DANGEROUS = re.compile(r"\b(?:unlink|unlinkat|rmdir|remove|rename|renameat|ftruncate|truncate|kill|killpg|system|"
                       r"exec[lv]p?e?|fork)\s*\(")


def arguments_of(entry):
    """What clang parses a file of compile_commands.json with; and the compiler's command without input and output."""
    words, kept = entry["command"].split(), []
    while "ccache" in words[0] or words[0].endswith("env"):
        words.pop(0)
    for i, word in enumerate(words):
        if word not in ("-c", "-o", entry["file"]) and (i == 0 or words[i - 1] != "-o"):
            kept.append(word)
    return [w for w in kept[1:] if w.startswith(("-D", "-I", "-isystem", "-std", "/"))], kept


class Sites:
    def __init__(self, path, arguments):
        with open(path, "rb") as file:
            self.text = file.read()
        unit = cindex.Index.create().parse(path, arguments + ["-Wno-everything"])
        errors = [d.spelling for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise SystemExit(f"{path}: clang: {errors[0]}")
        self.found = set()
        for function in unit.cursor.get_children():
            if function.kind != CursorKind.FUNCTION_DECL or not function.is_definition():
                continue
            if function.location.file and function.location.file.name == path:
                begin, end = self.range(function)
                if not DANGEROUS.search(self.piece(begin, end)) and not path.endswith(SPEED) and \
                   not re.fullmatch(RELEASE, function.spelling):
                    self.returns(function)
                    self.walk(function, function)

    def range(self, cursor):
        """The bytes of a cursor; of an argument of a macro, where it is written."""
        found = []
        for location in cursor.extent.start, cursor.extent.end:
            offset = cindex.c_uint()
            ignored = cindex.c_uint()
            file = cindex.c_object_p()
            cindex.conf.lib.clang_getFileLocation(location, cindex.byref(file), cindex.byref(ignored),
                                                  cindex.byref(ignored), cindex.byref(offset))
            found.append(int(offset.value))
        return found

    def piece(self, begin, end):
        return self.text[begin:end].decode(errors="replace")

    def name(self, begin):
        return re.match(r"\w*", self.piece(begin, begin + 80)).group()

    def add(self, kind, begin, end, *news):
        for new in news:
            self.found.add((kind, begin, end, new))

    def is_whole(self, begin, end):
        """Whether these bytes are text with its parentheses, and not what a macro has made."""
        text = self.piece(begin, end)
        return bool(text) and text.count("(") == text.count(")") and text.count("{") == text.count("}")

    def walk(self, cursor, parent):
        begin, end = self.range(cursor)
        if cursor.kind == CursorKind.CALL_EXPR and SILENT_NAMES.fullmatch(cursor.spelling) or \
           SILENT_NAMES.fullmatch(self.name(begin)):
            return
        if cursor.kind == CursorKind.ENUM_DECL:  # constants of tuning
            return
        children = list(cursor.get_children())
        if cursor.kind in OPERATORS and len(children) == 2:
            self.operator(self.range(children[0])[1], self.range(children[1])[0])
        elif cursor.kind == CursorKind.UNARY_OPERATOR and children:
            inner = self.range(children[0])
            if parent.kind != CursorKind.FOR_STMT:  # an endless loop, which costs time
                self.operator(begin, inner[0])
                self.operator(inner[1], end)
        elif cursor.kind in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL):
            self.constant(begin, end)
        elif cursor.kind == CursorKind.IF_STMT:
            idle = len(children) == 2 and OF_ELEMENTS.match(self.piece(*self.range(children[1])))
            self.condition(*self.range(children[0]), ")", ("!({})", "0 && ({})", "1 || ({})")[:2 if idle else 3])
        elif cursor.kind == CursorKind.CONDITIONAL_OPERATOR:
            self.condition(*self.range(children[0]), "?", ("!({})",))
        elif cursor.kind == CursorKind.WHILE_STMT:
            self.condition(*self.range(children[0]), ")", ("0 && ({})",))
        elif cursor.kind == CursorKind.CALL_EXPR and not SAME_EITHER_WAY.fullmatch(cursor.spelling):
            self.swap(list(cursor.get_arguments()))
        for child in children:
            if cursor.kind == CursorKind.COMPOUND_STMT or \
               cursor.kind in LOOPS | {CursorKind.IF_STMT} and child == children[-1]:
                self.statement(child)
            self.walk(child, cursor)

    def operator(self, begin, end):
        between = self.piece(begin, end)
        if between.strip() in OTHERS:
            at = begin + len(between) - len(between.lstrip())
            self.add("operator", at, at + len(between.strip()), *OTHERS[between.strip()])

    def constant(self, begin, end):
        text = self.piece(begin, end)
        if text in ("true", "false"):
            self.add("constant", begin, end, {"true": "false", "false": "true"}[text])
        elif re.fullmatch(r"\d+[uUlL]*", text):
            digits = re.match(r"\d+", text).group()
            for value in {int(digits) + 1, abs(int(digits) - 1)}:
                self.add("constant", begin, end, str(value) + text[len(digits):])
        elif re.fullmatch(r"\d+\.\d*(e-?\d+)?f?", text):
            self.add("constant", begin, end, f"(2 * {text} + 1)")

    def condition(self, begin, end, behind, forms):
        if self.is_whole(begin, end) and self.piece(end, end + 80).lstrip().startswith(behind):
            self.add("condition", begin, end, *(form.format(self.piece(begin, end)) for form in forms))

    def swap(self, arguments):
        for one, two in zip(arguments, arguments[1:]):
            first, second = self.range(one), self.range(two)
            texts = self.piece(*first), self.piece(*second)
            alike = one.type.get_canonical().spelling == two.type.get_canonical().spelling
            if alike and texts[0] != texts[1] and first[1] < second[0] and \
               self.is_whole(*first) and self.is_whole(*second):
                self.add("arguments", first[0], second[1],
                         texts[1] + self.piece(first[1], second[0]) + texts[0])

    def statement(self, cursor):
        """A call, or a macro with a call as its argument, which is a whole statement."""
        begin = self.range(cursor)[0]
        if cursor.kind not in (CursorKind.CALL_EXPR, CursorKind.DO_STMT, CursorKind.UNEXPOSED_EXPR):
            return
        text = self.piece(begin, begin + 1000)
        name = re.match(r"(\w+)(?:\.\w+|->\w+)*\(", text)
        if not name or SILENT_NAMES.fullmatch(name.group(1)) or name.group(1) in ("while", "if", "for", "switch"):
            return
        inner = re.match(r"PEN_\w+\((\w+)\(", text)
        if inner and SILENT_NAMES.fullmatch(inner.group(1)):
            return
        depth = 0
        for at in range(name.end() - 1, len(text)):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if depth == 0:
                if text[at + 1:at + 2] == ";":
                    self.add("call", begin, begin + len(text[:at + 1].encode()), "(void)0")
                return

    def returns(self, function):
        """An early return before each statement at the top of a function whose result is void, a number or a status."""
        kind = function.result_type.get_canonical().kind
        body = [c for c in function.get_children() if c.kind == CursorKind.COMPOUND_STMT]
        if not body or kind in (TypeKind.RECORD, TypeKind.POINTER):
            return
        new = "return; " if kind == TypeKind.VOID else "return 0; "
        for statement in list(body[0].get_children()):
            begin, _ = self.range(statement)
            begins = self.text[:begin].rstrip()[-1:] in (b"{", b";", b"}")
            if begins and statement.kind != CursorKind.RETURN_STMT and not SILENT_NAMES.fullmatch(self.name(begin)):
                self.add("return", begin, begin, new)
