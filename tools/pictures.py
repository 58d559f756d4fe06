#!/usr/bin/python3
"""pictures.py PARIO [--structure]: makes the pictures of docs/ from pages of the fixed journals of test/browser.

Beside them lies the structure that the pages had, docs/pictures.txt: what elements of which classes stand where, without texts
and numbers. --structure prints it as it is now; test/gates/pictures.sh fails where the two differ, and `make pictures` makes both anew.
"""
import html.parser
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "browser"))
import journals  # noqa: E402

# picture, journal, height in pixels
PICTURES = (("report", "sweep", 860), ("trace", "trace", 720))


class Structure(html.parser.HTMLParser):
    """Each kind of element in the order in which it first comes: a row is as good as a hundred."""
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attributes):
        kind = tag + "".join("." + word for word in sorted((dict(attributes).get("class") or "").split()))
        if tag not in ("script", "title", "meta") and kind not in self.seen:
            self.seen.append(kind)


def page(pario, journal, directory):
    run, path = os.path.join(directory, journal), os.path.join(directory, journal + ".html")
    journals.write(run, journals.all_journals()[journal]())
    subprocess.run([pario, "report", run, "--out", path], check=True, stdout=subprocess.DEVNULL)
    return path


def structure(name, path):
    parser = Structure()
    with open(path, encoding="utf-8") as file:
        parser.feed(file.read())
    return f"{name}: {' '.join(parser.seen)}\n"


def main():
    pario = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        pages = [(name, page(pario, journal, directory), height) for name, journal, height in PICTURES]
        text = "".join(structure(name, path) for name, path, _ in pages)
        if "--structure" in sys.argv:
            print(text, end="")
            return
        import chrome
        for name, path, height in pages:
            with chrome.Browser() as browser:
                browser.size(1160, height)
                browser.open(path)
                browser.evaluate("""new Promise(done => { const wait = () => document.documentElement.dataset.ready === '1'
                    ? requestAnimationFrame(() => setTimeout(done, 300)) : setTimeout(wait, 50); wait(); })""")
                browser.shot(os.path.join(ROOT, "docs", name + ".png"))
        with open(os.path.join(ROOT, "docs", "pictures.txt"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
