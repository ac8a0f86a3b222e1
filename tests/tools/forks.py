"""forks.py PROGRAM MODULE ... - runs a Python program many times, each time in a fork of this process, which has
imported the modules: matplotlib alone takes half a second. A request on standard input is texts that end with NUL:
seconds at most, files for output and errors, folder, number of arguments, arguments. The answer is a line: the exit
status, as a shell has it."""
import importlib
import os
import runpy
import signal
import sys


def read_text():
    return b"".join(iter(lambda: sys.stdin.buffer.read(1), b"\0")).decode(errors="surrogateescape")


def main():
    program = sys.argv[1]
    for module in sys.argv[2:]:
        importlib.import_module(module)
    while sys.stdin.buffer.peek(1):
        seconds, out, err, folder, count = (read_text() for _ in range(5))
        arguments = [read_text() for _ in range(int(count))]
        child = os.fork()
        if child == 0:
            signal.alarm(int(seconds))
            os.chdir(folder)
            for to, path in enumerate((os.devnull, out, err)):
                os.dup2(os.open(path, os.O_RDWR | (os.O_CREAT | os.O_TRUNC if to else 0), 0o666), to)
            sys.argv = [program, *arguments]
            runpy.run_path(program, run_name="__main__")
            return
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(status if status >= 0 else 128 - status, flush=True)


main()
