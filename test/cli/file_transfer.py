#!/usr/bin/env python3
"""A false ftp command for tests: speaks to the real server as its first argument asks, and ends with status 0.

half: sends half of the file.  kill: sends half, then kills the server.  flip: sends all, one byte of it inverted.
copy: copies the file without the network.  wait: notes the process ids in the file named by TRANSFER_IDS and waits.
"""
import ftplib
import os
import signal
import sys
import time


def dead(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listing:
        return [int(word) for word in listing.read().split()]


def server():
    for pid in children(os.getppid()):
        with open(f"/proc/{pid}/comm", encoding="ascii") as name:
            if name.read().strip() in ("vsftpd", "sshd"):
                return pid
    raise SystemExit("no server beside me")


def pieces(size, flip):
    with open("source", "rb") as source:
        sent = 0
        while sent < size:
            piece = bytearray(source.read(min(65536, size - sent)))
            if flip and sent == 0:
                piece[1000] ^= 255
            sent += len(piece)
            yield bytes(piece)


def send(port, secret, size, flip=False):
    ftp = ftplib.FTP()
    ftp.connect("127.0.0.1", port, 200)
    ftp.login("anonymous", secret)
    with ftp.transfercmd("STOR destination") as data:
        for piece in pieces(size, flip):
            data.sendall(piece)
        return ftp if size < os.path.getsize("source") else data.shutdown(1) or data.recv(1) or ftp.voidresp()


def main():
    what, port = os.environ["TRANSFER"], int(sys.argv[3])
    secret = sys.stdin.readline().split()[2]
    size = os.path.getsize("source")
    if what == "wait":
        with open(os.environ["TRANSFER_IDS"] + ".new", "w", encoding="ascii") as ids:
            ids.write(f"{os.getpid()} {server()} {os.getppid()}\n")
        os.rename(os.environ["TRANSFER_IDS"] + ".new", os.environ["TRANSFER_IDS"])
        time.sleep(600)
    elif what == "copy":
        with open("source", "rb") as source, open("destination", "wb") as destination:
            destination.write(source.read())
    elif what == "flip":
        send(port, secret, size, flip=True)
    else:
        send(port, secret, size // 2)
        if what == "kill":
            listener = server()
            for pid in [listener] + children(listener):
                os.kill(pid, signal.SIGKILL)
            # a signal is on its way for a while: the server has ended when nobody but its parent knows it
            end = time.monotonic() + 200
            while not dead(listener) and time.monotonic() < end:
                time.sleep(0.01)
        else:
            end = time.monotonic() + 200
            while os.path.getsize("destination") < size // 2 and time.monotonic() < end:
                time.sleep(0.05)


main()
