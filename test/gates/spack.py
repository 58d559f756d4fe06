#!/usr/bin/env python3
"""spack.py RECIPE: runs a Spack recipe with a stand-in for Spack's own words, with every variant on and off."""
import sys
import types

directives = {"variants": {}, "versions": [], "whens": [], "depends": []}


class CMakePackage:
    """What the recipe derives from."""

    def define(self, name, value):
        return f"-D{name}={value}"


def variant(name, default, description):
    directives["variants"][name] = (default, description)


def version(name, **_):
    directives["versions"].append(name)


def depends_on(what, when=None, type=None):
    directives["depends"].append(what)
    directives["whens"].append(when)


class Spec:
    """One choice of variants."""

    def __init__(self, on):
        self.on = on
        self.asked = []

    def satisfies(self, text):
        self.asked.append(text[1:])
        return self.on

    def __getitem__(self, name):
        assert name in directives["depends"], f"no depends_on({name!r})"
        return types.SimpleNamespace(mpicc="mpicc")


def main(path):
    words = types.ModuleType("spack.package")
    for word in (CMakePackage, variant, version, depends_on):
        setattr(words, word.__name__, word)
    words.license = lambda *_: None
    words.which = lambda _: lambda *_: None
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = words
    names = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    package = names["Pario"]()
    variants = directives["variants"]
    assert directives["versions"], "no version()"
    for when in filter(None, directives["whens"]):
        assert when[1:] in variants, f"depends_on(when={when!r}), and there is no such variant"
    for on in (True, False):
        package.spec = Spec(on)
        arguments = package.cmake_args()
        assert set(package.spec.asked) == set(variants), "a variant that no option follows from"
        values = [a.split("=")[1] for a in arguments if "PARIO_WITH_" in a]
        assert values == ["ON" if on else "OFF"] * len(values) and values, arguments


if __name__ == "__main__":
    main(sys.argv[1])
