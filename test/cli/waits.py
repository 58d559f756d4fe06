"""waits.py pipe|socket|reader|shell: a process that computes and one that waits for it, and next to nothing else.

pipe: in read; socket: in select, before it reads; reader: the writer waits, as the pipe is full; shell: a shell waits for the
end of what it has started, in the handler of a signal that interrupts a read.
"""
import os
import select
import signal
import socket
import sys
import time

shape = sys.argv[1]
STEPS, PAUSE, PIECE = 20, 0.05, 65536

with open("kept", "wb") as file:
    file.write(b"x" * PIECE)
if shape == "shell":
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        time.sleep(STEPS * PAUSE)
        os._exit(0)
    signal.signal(signal.SIGCHLD, lambda *_: (os.waitpid(child, 0), os.write(writer, b"."), os.close(writer)))
    while os.read(reader, PIECE):
        pass
    sys.exit()
if shape == "socket":
    reader, writer = (end.detach() for end in socket.socketpair())
else:
    reader, writer = os.pipe()
if os.fork() == 0:
    os.close(reader)
    for _ in range(STEPS):
        if shape != "reader":
            time.sleep(PAUSE)
        left = b"y" * PIECE
        while left:
            left = left[os.write(writer, left):]
    os._exit(0)
os.close(writer)
for _ in range(STEPS):
    if shape == "socket":
        select.select([reader], [], [])
    size = 0
    while size < PIECE:
        size += len(os.read(reader, PIECE - size))
    if shape == "reader":
        time.sleep(PAUSE)
assert not os.read(reader, PIECE)
os.wait()
