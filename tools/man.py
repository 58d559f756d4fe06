#!/usr/bin/env python3
"""man.py PARIO DIRECTORY: writes a man page for the program, one per command and per test, and one of the options that
several of them share, in mdoc.

Commands, tests, backends and options are what `PARIO help --tables` says; what no table says stands in man.txt. The pages
depend on the sources alone, not on the day, the machine, the MPI or the libraries that were found, so that they can be kept in
the repository and compared (test/gates/docs.sh).
"""
import collections
import json
import os
import subprocess
import sys

DATE = "November 15, 2026"  # of man.txt, changed with it: a page must not change by itself
COLUMNS = 78


def sections():
    """The sections of man.txt by their names."""
    found, name = {}, None
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "man.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("@ "):
                name = line[2:].strip()
                found[name] = ""
            elif name and line.strip():
                found[name] += line
    return found


TEXT = sections()


def plain(text):
    """Text for a text line: nothing in it is read as a request or an escape."""
    lead = "\\&" if text[:1] in (".", "'") else ""
    return lead + text.replace("\\", "\\e").replace("--", "\\--")


def word(text):
    """A word on a macro line: must not be taken for a macro, which are two or three characters long."""
    lead = "\\&" if len(text.encode()) <= 3 else ""
    return lead + text.replace("\\", "\\e").replace('"', "\\(dq")


def synopsis(arguments):
    """"TEST [--option value ...]": words in the order they come, brackets as optional parts."""
    out = ""
    for part in arguments.split():
        inner = part.removeprefix("[").removesuffix("]")
        if part.startswith("["):
            out += ".Oo\n"
        if inner.startswith("--") and len(inner) > 2:
            out += ".Fl Fl " + word(inner[2:])
        elif inner[:1].isalpha():
            out += ".Ar " + word(inner)
        else:
            out += "\\&" + inner
        out += "\n" + (".Oc\n" if part.endswith("]") else "")
    return out


def head(name, summary, section=1):
    dash = "-" if name else ""
    return (f".\\\" Written by tools/man.py from the tables in src/; `make docs' writes it anew.\n"
            f".Dd {DATE}\n.Dt PARIO{dash}{name.upper()} {section}\n.Os\n.Sh NAME\n.Nm pario{dash}{name}\n"
            f".Nd {plain(summary).rstrip('?.!')}\n")


def items(pairs):
    return ".Bl -tag -width Ds\n" + "".join(f".It {left}\n{right}\n" for left, right in pairs) + ".El\n"


def letter(row):
    return f"Fl {row['letter']} , " if row["letter"] else ""


def named(rows):
    return " ,\n".join(".Fl Fl " + row["name"] for row in rows) + " .\n"


def packed(words):
    """As many macros on a line as there is room for."""
    lines = ["." + words[0]]
    for each in words[1:]:
        if len(lines[-1]) + len(each) + 5 > COLUMNS:
            lines[-1] += " ,"
            lines.append("." + each)
        else:
            lines[-1] += " , " + each
    return "\n".join(lines)


def option_items(rows):
    return items((f"{letter(row)}Fl Fl {row['name']} Ar {word(row['value'])}", plain(row["text"])) for row in rows)


def heading(title, backends):
    return f".Ss Options of the {title} backend\n" if title in backends else f".Ss {title[0].upper()}{title[1:]} options\n"


class Options:
    """What several pages say of an option in the same words stands once, in pario-options(7)."""
    def __init__(self, pages, backends):
        self.backends = backends
        found = {}
        for table in (table for page in pages for table in page["tables"] if table["title"] != "test"):
            for row in table["rows"]:
                of = found.setdefault(table["title"], {}).setdefault(row["name"], collections.Counter())
                of[json.dumps(row)] += 1
        self.shared = {}
        for title, rows in found.items():
            common = [of.most_common(1)[0] for of in rows.values()]
            common = [json.loads(row) for row, count in common if count > 1]
            if common:
                self.shared[title] = common

    def table(self, title, own, elsewhere, where):
        """Own rows whole, the others by name. MPI-IO hints speak for themselves."""
        out = heading(title, self.backends)
        rows, hints = [[row for row in own + elsewhere if row["hint"] == hint] for hint in (False, True)]
        if any(row in own for row in rows):
            out += option_items(row for row in rows if row in own) + ".Pp\n" * any(row in elsewhere for row in rows)
        if any(row in elsewhere for row in rows):
            out += where + packed([f"Fl Fl {row['name']}" for row in rows if row in elsewhere]) + " .\n"
        if hints:
            out += ".Pp\n" * bool(rows) + "MPI-IO hints are options under their own names:\n" + named(hints)
        return out

    def of(self, table):
        shared = self.shared.get(table["title"], [])
        own = [row for row in table["rows"] if row not in shared]
        return self.table(table["title"], own, [row for row in table["rows"] if row in shared],
                          ".Sy pario-options Ns (7)\ndescribes\n")

    def page(self):
        out = head("options", "the options that commands and tests share", 7)
        out += ".Sh DESCRIPTION\n" + TEXT["giving_options"]
        out += "".join(self.table(title, rows, [], "") for title, rows in self.shared.items())
        return out + TEXT["environment"] + TEXT["files"]


def examples(page):
    out, between = "", ".Sh EXAMPLES\n"
    for line in TEXT.get("examples " + page, "").splitlines():
        if line.startswith("$ "):
            out += ".Dl " + plain(line[2:]) + "\n"
            between = ".Pp\n"
        else:
            out += between + plain(line) + "\n"
    return out


def see_also(own, names):
    """pario(1) has all of them. Not by Xr: mandoc -Tlint knows no manuals but the base system's, and takes others for mistakes."""
    others = ["pario"] if own else ["pario-" + name for name in sorted(names)]
    return ".Sh SEE ALSO\n" + packed([f"Sy {name} Ns (1)" for name in others] + ["Sy pario-options Ns (7)"]) + "\n"


def fold(page):
    """Cuts text lines at blanks; requests and literal displays stay. A line must not begin with what makes it a request."""
    out, literal = [], False
    for line in page.splitlines():
        if line.startswith((".Bd", ".Ed")):
            literal = line.startswith(".Bd")
        if literal or line.startswith("."):
            out.append(line)
            continue
        text = line.encode()
        while len(text) > COLUMNS and (cut := text.rfind(b" ", 1, COLUMNS + 1)) > 0:
            out.append(text[:cut].decode())
            text = (b"\\&" if text[cut + 1:cut + 2] in (b".", b"'") else b"") + text[cut + 1:]
        out.append(text.decode())
    return "\n".join(out) + "\n"


def command_page(command, options):
    out = head(command["name"], command["summary"])
    out += f".Sh SYNOPSIS\n.Nm pario\n.Cm {command['name']}\n" + synopsis(command["arguments"]) + ".Sh DESCRIPTION\n"
    text = TEXT.get("command " + command["name"], "")
    out += text
    if command["tables"]:
        out += (".Pp\n" if text else "") + TEXT["options_page"] + ".Sh OPTIONS\n"
        out += "".join(options.of(table) for table in command["tables"])
    if "peer" in command:
        out += ".Sh OPTIONS\n@ stands for the value.\n"
        out += items((f"{letter(o)}Cm {word(o['name'])}", ".\n".join(map(plain, o["text"].split(". "))))
                     for o in command["peer"])
    return out + TEXT["exit_status"] + examples(command["name"])


def test_page(test, options):
    out = head(test["name"], test["summary"])
    out += (f".Sh SYNOPSIS\n.Nm pario\n.Cm run\n.Cm {test['name']}\n.Oo\n.Fl Fl option\n.Ar value\n\\&...\n.Oc\n"
            f".Sh DESCRIPTION\n{plain(test['question'])}\n.Pp\nIts number misleads {plain(test['misleads'])}.\n.Pp\n"
            f"{TEXT['options_page']}.Sh OPTIONS\n")
    out += "".join(options.of(table) for table in test["tables"])
    if test["metrics"]:
        better = {1: "; higher is better", -1: "; lower is better", 0: ""}
        out += ".Sh METRICS\nBeside the members that every result has:\n"
        out += items((f"Va {m['name']} Pq {m['unit'] or 'number'}", plain(m["help"]) + better[m["better"]])
                     for m in test["metrics"])
    return out + TEXT["exit_status"] + examples(test["name"])


def program_page(tables):
    def listed(rows, page):
        return items((f"Cm {row['name']}", plain(row["summary"]) + (f"\n.Pq Sy pario-{row['name']} Ns (1)" if page else ""))
                     for row in rows)

    out = head("", "measures the I/O of parallel computers") + ".Sh SYNOPSIS\n"
    out += "".join(f".Nm\n.Cm {c['name']}\n" + synopsis(c["arguments"]) for c in tables["commands"])
    out += ".Nm\n.Fl Fl version\n.Sh DESCRIPTION\n.Nm\n" + TEXT["about"]
    out += ".Ss Commands\n" + listed(tables["commands"], True) + ".Ss Tests\n" + listed(tables["tests"], True)
    out += ".Ss Backends\nWhat carries the data, chosen with\n.Fl Fl api :\n" + listed(tables["backends"], False)
    out += ".Ss Options\n" + TEXT["giving_options"] + ".Ss Plan files\n" + TEXT["plans"]
    return out + "".join(TEXT[name] for name in ("promises", "environment", "files", "exit_status", "examples"))


def main():
    program, directory = sys.argv[1], sys.argv[2]
    tables = json.loads(subprocess.run([program, "help", "--tables"], check=True, capture_output=True).stdout)
    options = Options(tables["commands"] + tables["tests"], {backend["name"] for backend in tables["backends"]})
    pages = {"": program_page(tables)}
    pages.update((c["name"], command_page(c, options)) for c in tables["commands"])
    pages.update((t["name"], test_page(t, options)) for t in tables["tests"])
    os.makedirs(directory, exist_ok=True)
    for name, page in pages.items():
        with open(os.path.join(directory, f"pario{'-' if name else ''}{name}.1"), "w", encoding="utf-8") as file:
            file.write(fold(page + see_also(name, [other for other in pages if other])))
    with open(os.path.join(directory, "pario-options.7"), "w", encoding="utf-8") as file:
        file.write(fold(options.page() + ".Sh SEE ALSO\n.Sy pario Ns (1) ,\n.Sy pario-run Ns (1)\n"))


if __name__ == "__main__":
    main()
