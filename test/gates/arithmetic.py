"""Sums and products of option values that nothing checks; arithmetic.sh says what is looked for. Names of files come on stdin.

The rows of option tables tell which members of which structs are options. A variable is known by its type, wherever it stands in
the same folder; what is assigned from an option in a function is one there too, but for a double, an index or a condition."""
import os
import re
import sys

SIGNS = r"(?:\*|\+(?![+=])|<<(?!=))"
CHECKED = r"pario_(?:mul|add)"


def without_texts(text):
    """Comments and strings become blanks, lines stay."""
    blank = lambda m: '""' if m.group(0)[0] == '"' else re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def rows(text):
    """(struct, member) of every row, also of rows by a macro of the file."""
    for m in re.finditer(r"PARIO_OPTION(?:_NAMED)?\(\s*struct (\w+),\s*(\w+)", text):
        yield m.groups()
    macro = r"#define (\w+)\((\w+), \.\.\.\)\s*\\?\s*PARIO_OPTION(?:_NAMED)?\(\s*struct (\w+), \2"
    for name, _, struct in re.findall(macro, text):
        for member in re.findall(r"\b" + name + r"\(\s*(\w+)", text):
            yield struct, member


def counts(texts):
    """(struct, member) of every row whose member is a count or size."""
    bodies = {}
    for text in texts:
        for name, body in re.findall(r"struct (\w+) \{\n(.*?)\n\}", text, re.S):
            bodies[name] = bodies.get(name, "") + body
    for text in texts:
        for struct, member in rows(text):
            if re.search(r"uint64_t\b[^;]*\b" + member + r"\b", bodies.get(struct, "")):
                yield struct, member


def functions(text):
    """(first line, head, body) of each function."""
    for m in re.finditer(r"^[a-z][^;{}#]*?\)\n\{\n(.*?)^\}", text, re.S | re.M):
        yield text.count("\n", 0, m.start(1)) + 1, m.group(0)[: m.start(1) - m.start(0)], m.group(1)


def breaches(first, body, option):
    """(line, statement) of each sum or product of what `option`, a pattern, matches."""
    given = [option]
    for m in re.finditer(r"[^;{}]+[;{}]", body):
        statement = re.sub(r"\s+", " ", m.group(0)).strip()
        value = "(?:" + "|".join(given) + ")"
        # what is compared, indexed or counted in doubles is no sum of sizes
        plain = re.sub(r"\(double\) ?(?:\([^()]*\)|[\w.>-]+)", "D", statement)
        plain = re.sub(r"\bfor \(.*", "", plain)
        if re.search(value + r"\)* " + SIGNS + r" (?!D\b)|(?<!D )(?<![,=(?:] )(?<!return )" + SIGNS + r" \(*(?:\(\w+\))?" + value, plain):
            yield first + body.count("\n", 0, m.start() + len(m.group(0)) - len(m.group(0).lstrip())), statement
        made = re.findall(r"\b([a-z_][\w.>-]*) = ([^,;=]*(?:\([^()]*\)[^,;=]*)*)", plain)
        made += [(name, "pario_times(" + of) for of, name in re.findall(CHECKED + r"\(((?:[^()]|\([^()]*\))*), &([\w.>-]+)\)", plain)]
        for name, expression in made:
            if re.search(value, expression) and not re.search(r"(?<!-)[<>]=?[^>]| \? |\(", re.sub(r"^pario_(?:times|plus|blocks)\(", "", expression)):
                given.append(r"(?<![\w>.])" + re.escape(name) + r"\b(?!\()")


def main():
    names = sys.stdin.read().split()
    text = {name: without_texts(open(name, encoding="utf-8").read()) for name in names}
    known = {}
    for struct, member in counts(text.values()):
        known.setdefault(struct, set()).add(member)
    found = False
    for name in names:
        place = os.path.dirname(name)
        objects = {}
        for other in names:
            if os.path.dirname(other) == place or other.endswith(".h"):
                for struct, pointer in re.findall(r"struct (\w+) \*?(\w+)[,;) =\[]", text[other]):
                    if struct in known and (struct != "params" or os.path.dirname(other) == place and (other == name or not place.endswith("tests"))):
                        objects.setdefault(pointer, set()).update(known[struct])
        if not objects:
            continue
        option = "|".join(rf"(?:\b\w+(?:->|\.))*\b{o}(?:->|\.)(?:{'|'.join(sorted(m))})\b" for o, m in sorted(objects.items()))
        for first, head, body in functions(text[name]):
            if "struct pario_run *" in head:
                continue
            for line, statement in breaches(first, body, option):
                print(f"{name}:{line}: may wrap: {statement[:150]}")
                found = True
    if found:
        print("Use pario_times and pario_plus (base/units.h), which stay at the largest number.")
    sys.exit(found)


main()
