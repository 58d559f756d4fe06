#!/usr/bin/env python3
"""Runs a program on a terminal of its own and prints what it says there.

usage: terminal.py COLUMNS [--until TEXT:ACTION]... -- PROGRAM ARGUMENT...

When TEXT has been said, ACTION happens: "interrupt" types Ctrl-C, a number is a new width; the TEXT after it must be said
later. The exit code is the program's.
"""
import fcntl
import os
import pty
import struct
import sys
import termios


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def act(fd, action):
    if action == "interrupt":
        os.write(fd, b"\x03")
    else:
        resize(fd, int(action))


def main():
    split = sys.argv.index("--")
    program, options = sys.argv[split + 1:], sys.argv[2:split]
    steps = [o.rsplit(":", 1) for o in options if o != "--until"]
    pid, fd = pty.fork()
    if pid == 0:
        resize(0, int(sys.argv[1]))
        if os.environ.get("COLUMNS") == "1000":  # lib.bash sets that for pipes: a terminal has its own width
            del os.environ["COLUMNS"]
        os.execvp(program[0], program)
    said, seen = b"", 0
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        said += data
        if steps and steps[0][0].encode() in said[seen:]:
            seen = len(said)
            act(fd, steps.pop(0)[1])
    sys.stdout.buffer.write(said)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main()
