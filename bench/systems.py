"""Really different storage systems on one Linux machine. Each is probed; one that cannot be had says why.

A system is made by make(), which returns None or the reason; then `place` is a directory on it, and start() runs a command
there, within its cgroups or on its node. close() removes everything.
"""
import os
import shutil
import signal
import subprocess

CGROUPS = "/sys/fs/cgroup"
V2 = os.path.exists(os.path.join(CGROUPS, "cgroup.controllers"))  # one hierarchy of version 2
CLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "cluster")
IMAGE_BYTES = 2 << 30


def tool(*words, timeout=60):
    """A command that must succeed; the reason where it does not."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as e:
        return None, "%s: %s" % (words[0], e)
    said = done.stdout.strip()
    return said, None if done.returncode == 0 else "%s: %s" % (words[0], said.split("\n")[-1][:150] or done.returncode)


class System:
    def __init__(self, name, what, memory=None, loop=None, options="", mkfs=None, throttle=None, shm=False):
        self.name, self.what = name, what
        self.memory, self.loop, self.options, self.mkfs, self.throttle, self.shm = memory, loop, options, mkfs, throttle, shm
        self.place = self.device = self.mounted = self.image = None
        self.groups = []

    def make(self, work):
        if os.geteuid() != 0 and (self.memory or self.loop is not None):
            return "needs root"
        self.place = os.path.join("/dev/shm" if self.shm else work, "pario-%s-%d" % (self.name, os.getpid()))
        os.makedirs(self.place)
        why = self.make_loop(work) if self.loop is not None else None
        if not why and self.memory:
            why = self.join("memory", {"memory.max" if V2 else "memory.limit_in_bytes": str(self.memory)})
        if not why and self.throttle:
            why = self.join("io" if V2 else "blkio", self.limits())
        if why:
            self.close()
        return why

    def make_loop(self, work):
        self.image = os.path.join(work, self.name + ".image")
        if not shutil.which(self.mkfs[0], path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            return self.mkfs[0] + " is not installed"
        with open(self.image, "xb") as f:
            f.truncate(IMAGE_BYTES)
        self.device, why = tool("losetup", "--find", "--show", *self.loop, self.image)
        if not why:
            _, why = tool(*self.mkfs, self.device)
        else:
            self.device = None
        if not why:
            _, why = tool("mount", "-o", self.options or "defaults", self.device, self.place)
            self.mounted = None if why else self.place
        return why

    def limits(self):
        """What the throttled device is allowed, as files of a cgroup and their content."""
        number = os.stat(self.device).st_rdev
        rule = "%d:%d " % (os.major(number), os.minor(number))
        if V2:
            return {"io.max": rule + " ".join("%s=%d" % limit for limit in self.throttle.items())}
        names = {"rbps": "read_bps_device", "wbps": "write_bps_device", "riops": "read_iops_device", "wiops": "write_iops_device"}
        return {"blkio.throttle." + names[k]: rule + str(v) for k, v in self.throttle.items()}

    def join(self, controller, settings):
        group = os.path.join(CGROUPS, "" if V2 else controller, "pario-bench-%s-%d" % (self.name, os.getpid()))
        try:
            if V2:
                with open(os.path.join(CGROUPS, "cgroup.subtree_control"), "w") as f:
                    f.write("+" + controller)
            os.mkdir(group)
            self.groups.append(group)
            for name, value in settings.items():
                with open(os.path.join(group, name), "w") as f:
                    f.write(value)
        except OSError as e:
            return "no cgroup with %s: %s" % (controller, e.strerror)
        return None

    def enter(self):
        for group in self.groups:
            with open(os.path.join(group, "cgroup.procs"), "w") as f:
                f.write(str(os.getpid()))

    def words(self, command, cwd):
        return ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", cwd] + command

    def start(self, command, cwd, timeout):
        """(exit code, output); the whole session is ended when the time is over."""
        p = subprocess.Popen(self.words(command, cwd), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             start_new_session=True, preexec_fn=self.enter)
        try:
            out, _ = p.communicate(timeout=timeout)
            return p.returncode, out
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            return 124, "took longer than %d s" % timeout

    def close(self):
        if self.mounted:
            tool("umount", "-l", self.mounted)
        if self.device:
            tool("losetup", "--detach", self.device)
        if self.place:
            shutil.rmtree(self.place, ignore_errors=True)
        if self.image and os.path.exists(self.image):
            os.remove(self.image)
        for group in self.groups:
            try:
                os.rmdir(group)
            except OSError:
                pass


class Gluster(System):
    """A volume over two nodes made of namespaces (test/cluster), through FUSE; programs run on the first node."""
    users = 0

    def __init__(self, name, what, delay_us=0):
        super().__init__(name, what)
        self.delay_us, self.up = delay_us, False
        self.cluster = "bench%d%s" % (os.getpid(), "d" if delay_us else "")

    def make(self, work):
        if not shutil.which("glusterd", path=os.environ["PATH"] + ":/usr/sbin"):
            return "glusterd is not installed"
        _, why = tool(CLUSTER + "/cluster", "-c", self.cluster, "up", "2", "with=%d" % os.getpid(), timeout=60)
        if why:
            return why
        self.up = True
        for step in ["start"], ["mount", "default"], ["delay", str(self.delay_us)] if self.delay_us else []:
            if step and not why:
                _, why = tool(CLUSTER + "/gluster", self.cluster, *step, timeout=120)
        self.place = "/var/lib/pario-cluster/%s/volume" % self.cluster
        if why:
            self.close()
        return why

    def words(self, command, cwd):
        return [CLUSTER + "/cluster", "-c", self.cluster, "run", "n1"] + super().words(command, cwd)

    def close(self):
        if self.up:
            tool(CLUSTER + "/gluster", self.cluster, "stop", timeout=60)
            tool(CLUSTER + "/cluster", "-c", self.cluster, "down", timeout=60)


EXT4 = ["mkfs.ext4", "-q", "-F"]
SLOW = {"rbps": 48 << 20, "wbps": 48 << 20, "riops": 2000, "wiops": 2000}


def all_systems():
    return [
        System("disk", "the machine's own file system"),
        System("ext4-small", "ext4 on a loop device with direct I/O, page cache of a memory cgroup of 256 MiB", memory=256 << 20,
               loop=["--direct-io=on"], mkfs=EXT4),
        System("ext4", "ext4 on a loop device", loop=[], mkfs=EXT4),
        System("tmpfs", "tmpfs", shm=True),
        System("loop-direct", "ext4 on a loop device with direct I/O", loop=["--direct-io=on"], mkfs=EXT4),
        System("xfs", "xfs on a loop device", loop=[], mkfs=["mkfs.xfs", "-q", "-f"]),
        System("btrfs", "btrfs with compression on a loop device", loop=[], mkfs=["mkfs.btrfs", "-q", "-f"], options="compress=zstd"),
        System("sync", "ext4 on a loop device, mounted sync", loop=[], mkfs=EXT4, options="sync"),
        System("throttled", "ext4 on a loop device, 48 MiB/s and 2000 operations/s by a cgroup", loop=["--direct-io=on"], mkfs=EXT4,
               throttle=SLOW),
        Gluster("gluster", "GlusterFS on two nodes through FUSE"),
        Gluster("gluster-late", "the same, 2 ms more for each read and write", delay_us=2000),
    ]
