"""system FILE [name=value ...]: a SYSTEM whose costs are known: seconds = times * (call + bytes * trans).

times, call, trans, path of writes, largest size, filesystem, noise, ..._read_seconds of memory; tmpfs has no device, so nothing misses memory.
"""
import json
import sys

told = dict(word.split("=") for word in sys.argv[2:])
times, call, trans = (float(told.get(k, d)) for k, d in (("times", 1), ("call", 1e-5), ("trans", 1e-9)))
fs = told.get("filesystem", "tmpfs")
sizes = [s for s in (1, 512, 4096, 65536, 1 << 20, 1 << 24) if s <= int(told.get("largest", 1 << 24))]
NAMES = "open create close stat unlink mkdir rmdir rename readdir truncate seek"


def surface(op, locality, path, at, slow=1):
    points = [{"bytes": b, "seconds": times * slow * (call + b * trans), "repetitions": 5} for b in at]
    return {"op": op, "locality": locality, "distance_bytes": 0, "path": path, "clients": 1, "shared": False, "pieces": [],
            "points": points, "residual_rsd": 0}


surfaces = [surface(op, place, path, sizes) for op, path in (("read", "hit"), ("write", "absorbed")) for place in ("sequential", "random")]
surfaces += [surface(op, "anywhere", "any", [0]) for op in NAMES.split()]
surfaces.append(surface("fsync", "anywhere", "sync", sizes))
if fs != "tmpfs":
    surfaces += [surface("read", place, "miss", sizes, 10) for place in ("sequential", "random")]
json.dump({"schema": told.get("schema", "pario-system/1"), "name": told.get("name", "x%g" % times),
           "mount": {"filesystem": fs}, "noise_floor_rsd": float(told.get("noise", 0)), "memory": {k: float(told[k]) for k in told if k.endswith("_read_seconds")}, "surfaces": surfaces,
           "coverage": []}, open(sys.argv[1], "w"))
