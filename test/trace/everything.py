"""Calls of every kind but MPI's, in the working directory: data, names, threads, children, other programs."""
import ctypes
import os
import threading

os.mkdir("dir")
fd = os.open("dir/a", os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o640)
os.write(fd, b"x" * 5000)
os.pwrite(fd, b"y" * 300, 9000)
os.lseek(fd, 100, os.SEEK_SET)
os.read(fd, 777)
os.readv(fd, [bytearray(100), bytearray(50)])
os.pwritev(fd, [b"v" * 100, b"w" * 50], 3000)
os.ftruncate(fd, 7000)
os.posix_fallocate(fd, 0, 8192)
os.fdatasync(fd)
os.close(fd)
os.rename("dir/a", "dir/b")
os.symlink("b", "dir/l")
os.link("dir/b", "dir/h")
os.lstat("dir/l")
os.readlink("dir/l")
os.chmod("dir/b", 0o600)
os.truncate("dir/h", 6000)
try:
    os.stat("dir/nowhere")
except FileNotFoundError:
    pass


def work(number):
    own = os.open("dir/t%d" % number, os.O_CREAT | os.O_RDWR, 0o600)
    for i in range(20):
        os.pwrite(own, b"z" * (number + 1) * 100, i * 1000)
    os.close(own)


threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
if os.fork() == 0:
    fd = os.open("dir/child", os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(fd, b"c" * 1234)
    os.close(fd)
    os.execvp("cp", ["cp", "dir/child", "dir/copy"])
os.wait()
os.rename("dir/copy", "dir/moved")
if ctypes.CDLL(None).system(b"cp dir/moved dir/second"):
    raise SystemExit("cp failed")
os.unlink("dir/h")
os.mkdir("dir/empty")
os.rmdir("dir/empty")
