"""The programs that benches trace: small versions of what HPC codes and users do. What runs `pario` needs PARIO."""
import os

PARIO = os.path.abspath(os.environ.get("PARIO", "build/pario"))
TREE = "mkdir t && for i in $(seq 500); do head -c $((i * 160)) /dev/urandom >t/f$i; done"
RUN = "'" + PARIO + "' run {} --dir . --output o --repetitions 1 --quiet"
PROGRAMS = [
    # name, what it needs, before, the program
    ("ior easy", "sh", "true", RUN.format("transfer --np 2 --layout per_client -t 1m -b 64m --verify 0")),
    ("ior hard", "sh", "true", RUN.format("transfer --np 2 -t 47008 -b 47008 -s 400 --verify 0")),
    ("madbench2", "sh", "true", RUN.format("madbench2 --np 1")),
    ("nht1_application", "sh", "true", RUN.format("nht1_application --np 1 --class W")),
    ("metadata storm", "sh", "true", RUN.format("metadata --np 2 --items 400")),
    ("checkpoint", "dd", "true", "for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=c$i bs=1M count=16 conv=fsync status=none; done"),
    ("stdio logger", "awk", "true", "awk 'BEGIN { for (i = 0; i < 300000; i++) print i, \"a line of a log\" >\"log\" }'"),
    ("tar", "tar", TREE, "tar cf a.tar t"),
    ("sqlite3", "sqlite3", "true", "for i in $(seq 50); do sqlite3 a.db 'create table if not exists t(a); insert into t values(1),(2),(3);'; done"),
    ("git", "git", "git init -q . && " + TREE, "git add t && git -c user.name=a -c user.email=a@b commit -qm x"),
]
