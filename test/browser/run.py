#!/usr/bin/python3
"""Does the report page work in a browser? TAP on standard output; needs PARIO, Chromium, python3-websocket.

run.py [--update] [--keep DIRECTORY]: --update writes the reference pictures anew, --keep leaves pages and pictures.

Every chart kind is rendered from fixed journals. A test fails on anything the page logs, throws or asks the network for.
"""
import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import journals  # noqa: E402

REFERENCE = os.path.join(HERE, "reference")
# Fonts and the smoothing of edges differ a little between versions of the browser.
TOLERANCE = 0.04

NUMBER = 0
FAILED = 0


def check(name, true, why=""):
    global NUMBER, FAILED
    NUMBER += 1
    FAILED += not true
    print(("" if true else "not ") + f"ok {NUMBER} {name}", flush=True)
    if not true and why:
        print("# " + str(why)[:1500].replace("\n", "\n# "), flush=True)


def pario(*arguments, expect=0):
    done = subprocess.run([os.environ["PARIO"], *arguments], capture_output=True, timeout=300)
    if done.returncode != expect:
        raise RuntimeError(f"pario {arguments} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def quiet(browser, name):
    check(f"{name}: no console message, no exception, no violation of the policy", not browser.trouble, browser.trouble)
    check(f"{name}: no request", not browser.requests, browser.requests)


def until(true, trouble):
    """Waits for it; the machine may be busy with other tests."""
    end = time.monotonic() + 200
    while not true():
        if time.monotonic() > end:
            raise RuntimeError(trouble)
        time.sleep(0.05)


def ready(browser):
    """The script has run, and the pictures in view are alive."""
    until(lambda: browser.evaluate("document.documentElement.dataset.ready === '1'"), "the page's script did not come to its end")


def drawn(browser):
    """What follows from a new size is drawn."""
    browser.evaluate("""Promise.race([new Promise(done => setTimeout(done, 5000)),
        new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))])""")


def live(browser, selector):
    """Scrolls to a figure, opens what hides it and waits until it is alive."""
    until(lambda: browser.evaluate(f"""(() => {{ const f = document.querySelector({json.dumps(selector)});
                for (let e = f; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
                f.scrollIntoView({{ block: 'center' }}); return !!f.pario; }})()"""), selector + " did not come alive")


def awake(browser):
    """Every picture is drawn, as for the printer, also in what is folded away, which is opened."""
    browser.evaluate("""dispatchEvent(new Event('beforeprint')),
        document.querySelectorAll('details.fold, details.more').forEach(d => { d.open = true; })""")


def rows(browser, selector):
    """Of the table behind a picture, which is made when it is asked for."""
    count = f"document.querySelector({json.dumps(selector)}).querySelectorAll('tbody tr').length"
    details = f"document.querySelector({json.dumps(selector)}).querySelectorAll('details').forEach(d => {{ d.open = %s; }})"
    browser.evaluate(details % "true")
    until(lambda: browser.evaluate(count) > 0, "no rows behind " + selector)
    found = browser.evaluate(count)
    browser.evaluate(details % "false")
    return found


def place(browser, selector):
    return browser.evaluate(f"""(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
        return {{ x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height, top: r.y }}; }})()""")


def same_picture(browser, mine, reference):
    """Share of pixels that differ visibly; the browser itself decodes and compares."""
    def data(path):
        with open(path, "rb") as file:
            return "data:image/png;base64," + base64.b64encode(file.read()).decode()
    return browser.evaluate("""(async () => { const load = async u => {
        const i = new Image(); i.src = u; await i.decode(); const c = document.createElement('canvas');
        c.width = i.width; c.height = i.height; const x = c.getContext('2d'); x.drawImage(i, 0, 0);
        return x.getImageData(0, 0, i.width, i.height); };
        const a = await load(%s), b = await load(%s);
        if (a.width !== b.width || Math.abs(a.height - b.height) > 12) return 1;
        let n = 0; const all = a.width * Math.min(a.height, b.height);
        for (let p = 0; p < all * 4; p += 4)
            if (Math.abs(a.data[p] - b.data[p]) + Math.abs(a.data[p + 1] - b.data[p + 1]) + Math.abs(a.data[p + 2] - b.data[p + 2]) > 96) n++;
        return n / all; })()""" % (json.dumps(data(mine)), json.dumps(data(reference))))


# name, journal, which figure, the mark that a suspect number gets in it
KINDS = (
    ("line", "sweep", "figure.chart:has(.line)", ".dot.suspect"),
    ("heat", "sweep", "figure.chart:has(.cell text)", ".cell.suspect"),
    ("box", "sweep", "figure.chart:has(.whisker)", ".box.suspect"),
    ("bar", "metadata", "figure.chart:has(.bar)", ".bar.suspect"),
    ("wait", "interactive", "figure.chart:has(.bar)", None),
    ("span", "tile", "figure.chart:has(.span)", None),
    ("map", "survey", "figure.chart:has(.cell text)", None),
    ("effects", "survey", "figure.chart:has(.box)", ".box.suspect"),
    ("size_law", "survey", "figure.chart:has(.guide):has(.dot):not(:has(.box))", None),
    ("curve", "beff_suspect", "figure.chart:has(.line)", ".dot.suspect"),
    ("partitions", "beff_io", "figure.chart:has(.line)", ".dot.suspect"),
    ("diagram", "beff_io", "figure.chart:has(.dot.suspect) ~ figure.chart:has(.dot.suspect)", ".dot.suspect"),
    ("timeline", "nht1_application", "figure.chart:has(.span)", ".span.suspect"),
    ("laws", "overlap", "figure.chart:has(.guide)", ".dot.suspect"),
    ("times", "madbench2", "figure.chart:has(.bar)", ".bar.suspect"),
    ("moments", "trace", "figure.chart:has(.cell)", None),
    ("trace", "trace", "figure.chart:has(.lane)", None),
    ("trace_doubt", "trace_suspect", "figure.chart:has(.lane)", ".lane.suspect"),
    ("seeks", "trace", "figure.chart:has(.bar) ~ figure.chart:has(.bar) ~ figure.chart:has(.bar)", None),
)


def shoot(browser, work, name, selector, update):
    """A picture of what the selector shows; with `update` it becomes the reference."""
    spot = place(browser, selector)
    picture = os.path.join(work, name + ".png")
    browser.shot(picture, {k: spot[k] for k in ("x", "y", "width", "height")}, whole=True)
    if update:
        os.makedirs(REFERENCE, exist_ok=True)
        shutil.copy(picture, os.path.join(REFERENCE, name + ".png"))
    return picture


def looks(Browser, name, picture):
    reference = os.path.join(REFERENCE, name + ".png")
    with Browser() as b:
        b.url = "about:blank"
        share = same_picture(b, picture, reference) if os.path.exists(reference) else 1
        check(f"{name}: looks like its reference", share <= TOLERANCE, f"{share:.3f} of the pixels differ")


def pictures(Browser, work, update):
    for name, journal, selector, suspect in KINDS:
        with Browser() as b:
            b.size(1240, 900)
            b.open(os.path.join(work, journal + ".html"))
            ready(b)
            awake(b)
            live(b, selector)
            if suspect:
                check(f"{name}: suspect numbers are marked", b.evaluate(f"""[...document.querySelectorAll({json.dumps(selector)})]
                    .some(f => f.querySelector({json.dumps(suspect)}))"""))
            check(f"{name}: the picture has a name and a description", b.evaluate(f"""(() => {{
                const p = document.querySelector({json.dumps(selector)} + ' .plot');
                return p.getAttribute('role') === 'img' && p.getAttribute('aria-labelledby').split(' ')
                    .every(i => document.getElementById(i).textContent.length > 3); }})()"""))
            check(f"{name}: the table behind it has rows", rows(b, selector) > 0)
            picture = shoot(b, work, name, selector, update)
            quiet(b, name)
        looks(Browser, name, picture)


def interaction(Browser, work):
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "sweep.html"))
        ready(b)
        figure = "figure.chart:has(.line)"
        awake(b)
        live(b, figure)
        p = lambda what: f"document.querySelector({json.dumps(figure)}){what}"
        marks = b.evaluate(p(".querySelectorAll('.dot').length"))
        check("C and script draw the same marks", b.evaluate(p(".pario.hits.length")) > 0)
        b.evaluate(p(".querySelector('.legend button').click()"))
        check("a legend entry hides its series", b.evaluate(p(".querySelectorAll('.plot .dot').length")) < marks)
        b.evaluate(p(".querySelector('.legend button').click()"))
        before = b.evaluate(p(".querySelector('.plot .line').getAttribute('d')"))
        b.evaluate(p(".querySelector('.tools button').click()"))
        check("the scale can be made logarithmic", b.evaluate(p(".querySelector('.plot .line').getAttribute('d')")) != before and
              "logarithmic" in b.evaluate(p(".querySelector('.plot .axes').textContent")))
        b.evaluate(p(".querySelector('.tools button').click()"))
        spot = place(b, figure + " .plot")
        x = spot["x"] + spot["width"] * 0.4
        y = spot["top"] + spot["height"] / 2
        b.mouse("mouseMoved", x, y)
        b.mouse("mousePressed", x, y, "left")
        for step in range(1, 6):
            b.mouse("mouseMoved", x + 30 * step, y, "left")
        b.mouse("mouseReleased", x + 150, y, "left")
        check("dragging zooms", b.evaluate(p(".pario.window !== null")))
        b.evaluate(p(".pario.reset.click()"))
        check("and the whole range comes back", b.evaluate(p(".pario.window === null")))
        b.evaluate(p(".querySelector('.plot').focus()"))
        b.key("ArrowRight")
        b.key("ArrowRight")
        text = b.evaluate(p(".querySelector('.tip').textContent"))
        check("arrow keys read the marks out", "MiB/s" in text and not b.evaluate(p(".querySelector('.tip').hidden")), text)
        lines = b.evaluate(p(".pario.csv().length"))
        table = rows(b, figure)
        check("the CSV holds what the table holds", lines - 1 >= table > 0, (lines, table))
        b.evaluate("document.getElementById('theme').click()")
        background = b.evaluate("getComputedStyle(document.body).backgroundColor")
        check("dark changes what is seen", background == "rgb(20, 24, 28)", background)
        check("dark and light", b.evaluate("document.documentElement.dataset.theme") == "dark")
        quiet(b, "interaction")


def sorting(Browser, work):
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "metadata.html"))
        ready(b)
        column = """[...document.querySelector('table.glance').tBodies[0].rows].map(r => +r.querySelector('td.n').dataset.v)"""
        until(lambda: b.evaluate("!!document.querySelector('table.glance thead button')"), "the table cannot be sorted")
        head = "[...document.querySelectorAll('table.glance thead th')].find(t => t.textContent === 'best')"
        b.evaluate(head + ".querySelector('button').focus()")
        b.key("Enter")
        up = b.evaluate(column)
        check("Enter on a table's head sorts by numbers, not by their text", up == sorted(up) and len(up) == 5, up)
        check("and says so", b.evaluate(head + ".getAttribute('aria-sort')") == "ascending")
        b.key("Enter")
        check("once more turns the order", b.evaluate(column) == up[::-1])
        quiet(b, "sorting")


def two_scales(Browser, work):
    """The axis of b_eff is made of two scales: zooming keeps what was under the pointer in view."""
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "beff.html"))
        ready(b)
        figure = "figure.chart:has(.line)"
        awake(b)
        live(b, figure)
        f = f"document.querySelector({json.dumps(figure)}).pario"
        whole = b.evaluate(f + ".hits.length")
        b.evaluate(f + ".zoom(0.5, 0.25)")
        near = b.evaluate(f"{f}.hs.at({f}.hs.place({f}.hs.at(0.3)))")
        check("b_eff's axis: place and value are inverse to each other when zoomed",
              abs(near - b.evaluate(f + ".hs.at(0.3)")) < 1e-6 * near, near)
        check("b_eff's axis: half of the axis holds fewer marks, and keys reach only those",
              0 < b.evaluate(f + ".hits.length") < whole)
        b.evaluate(f"document.querySelector({json.dumps(figure)}).querySelector('.plot').focus()")
        b.key("Escape")
        check("b_eff's axis: Escape shows the whole again", b.evaluate(f + ".hits.length") == whole)
        quiet(b, "two scales")


def csv_of_all(Browser, work):
    for name in ("sweep", "tile", "beff", "beff_io", "nht1_application", "overlap", "madbench2", "compare"):
        with Browser() as b:
            b.size(1240, 900)
            b.open(os.path.join(work, name + ".html"))
            ready(b)
            count = b.evaluate("document.querySelectorAll('figure.chart').length")
            for i in range(count):
                live(b, f"#f{i}")
            bad = b.evaluate("""[...document.querySelectorAll('figure.chart')].filter(f => { const rows = f.pario.csv();
                const marks = f.pario.data.series.reduce((n, s) => n + s.marks.length, 0);
                return rows.length !== marks + 1 || rows.some(r => r.length !== rows[0].length || r.some(c => c === undefined) || /^suspect: \\d+$/.test(r[r.length - 1])) ||
                    ![...f.querySelectorAll('.tools button')].some(t => t.textContent === 'CSV'); }).length""")
            check(f"{name}: every picture ({count}) gives a rectangular CSV of all its marks", bad == 0 and count > 0, bad)


# What axe's default rules would find on such a page, by the styles that the browser computed.
ACCESSIBLE = r"""(() => { const bad = [], say = (rule, e) => bad.push(rule + ': ' + e.outerHTML.slice(0, 140));
    const all = s => [...document.querySelectorAll(s)], roles = new Set(['img', 'group', 'status', 'region', 'note', 'list']);
    if (!document.documentElement.lang) bad.push('html-has-lang');
    if (!document.title.trim()) bad.push('document-title');
    if (all('main').length !== 1 || all('header').length !== 1 || all('footer').length !== 1) bad.push('landmarks');
    for (const e of document.body.children)
        if (!/^(HEADER|MAIN|FOOTER|SCRIPT)$/.test(e.tagName) && !e.hasAttribute('aria-hidden') && e.textContent.trim()) say('region', e);
    all('h1,h2,h3,h4,h5,h6').reduce((last, h) => { const n = +h.tagName[1];
        if (n > last + 1) say('heading-order', h); if (!h.textContent.trim()) say('empty-heading', h); return n; }, 0);
    all('button, a[href], summary').forEach(e => { if (!(e.textContent.trim() || e.getAttribute('aria-label'))) say('name', e);
        const l = e.getAttribute('aria-label'), t = e.textContent.trim();
        if (l && t && !l.toLowerCase().includes(t.toLowerCase())) say('label-content-name-mismatch', e); });
    all('button:not([type])').forEach(e => say('button type', e));
    all('[tabindex]').forEach(e => { if (e.tabIndex > 0) say('tabindex', e); });
    all('[role]').forEach(e => { if (!roles.has(e.getAttribute('role'))) say('aria-roles', e); });
    all('*').forEach(e => { for (const a of e.attributes) {
        if (/^on/.test(a.name)) say('handler', e);
        if (a.name === 'style' && !e.classList.contains('tip')) say('inline style', e);
        if (a.name.startsWith('aria-')) {
            if (!['aria-hidden', 'aria-label', 'aria-labelledby', 'aria-describedby', 'aria-pressed', 'aria-sort'].includes(a.name)) say('aria attribute', e);
            if (/aria-(hidden|pressed)/.test(a.name) && !/^(true|false)$/.test(a.value)) say('aria value', e);
            if (a.name === 'aria-sort' && (e.tagName !== 'TH' || !/^(ascending|descending)$/.test(a.value))) say('aria-sort', e);
            if (/labelledby|describedby/.test(a.name)) a.value.split(' ').forEach(i => { if (!document.getElementById(i)) say('aria reference', e); });
        } } });
    all('[aria-hidden="true"]').forEach(e => { if (e.querySelector('a[href], button, [tabindex="0"]')) say('aria-hidden-focus', e); });
    const ids = all('[id]').map(e => e.id); if (new Set(ids).size !== ids.length) bad.push('duplicate-id');
    all('a[href^="#"]').forEach(e => { if (!document.getElementById(decodeURIComponent(e.hash.slice(1)))) say('dead link', e); });
    all('svg').forEach(e => { if (e.getAttribute('role') !== 'img' && !e.closest('[aria-hidden="true"]')) say('svg-img-alt', e); });
    all('table').forEach(t => { if (t.tHead) t.querySelectorAll('thead th').forEach(h => { if (h.scope !== 'col') say('scope', h); });
        if (t.tHead && t.tBodies[0] && [...t.tBodies[0].rows].some(r => r.cells.length !== t.tHead.rows[0].cells.length)) say('td-headers', t); });
    all('ul, ol').forEach(e => { if ([...e.children].some(c => c.tagName !== 'LI')) say('list', e); });
    all('.wide, pre').forEach(e => { if ((e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) && e.tabIndex < 0 && !e.querySelector('a, button')) say('scrollable-region-focusable', e); });
    all('font, center, marquee, blink, big, tt, strike').forEach(e => say('deprecated', e));
    return [...new Set(bad)].slice(0, 12); })()"""

# Every text that is seen against what is behind it; what lies over coloured cells and bars is in CONTRAST.
SEEN = r"""(() => { const parse = c => { const n = c.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
    const light = c => c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; })
        .reduce((a, v, i) => a + v * [.2126, .7152, .0722][i], 0);
    const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > .5) return c; } return [255, 255, 255, 1]; };
    const bad = new Map(); let seen = 0;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) { const e = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || e.closest('script, style, .cell, .tip, title, desc') || e.classList.contains('name')) continue;
        const s = getComputedStyle(e), r = e.getBoundingClientRect();
        if (!r.width || s.visibility === 'hidden' || e.closest('.unseen, [aria-pressed="false"]')) continue;
        seen++; const fore = light(parse(e.namespaceURI.endsWith('svg') ? s.fill : s.color)), back = light(behind(e));
        const ratio = (Math.max(fore, back) + .05) / (Math.min(fore, back) + .05);
        if (ratio < 4.5) bad.set(e.tagName + '.' + (e.getAttribute('class') || ''), +ratio.toFixed(2)); }
    return { seen, bad: [...bad] }; })()"""


# Cells of the tables in view that begin or end beyond the screen.
LOST = """[...document.querySelectorAll('.wide table:not(.facts) td')].filter(c => {
    const r = c.getBoundingClientRect();
    return c.closest('table').tHead && r.width && !c.closest('.trace') && (r.left < 0 || r.right > innerWidth + 1);
    }).slice(0, 5).map(c => c.textContent)"""


def accessible(Browser, work):
    for name in ("sweep", "metadata", "tile", "interactive", "survey", "hostile", "endless", "compare", "beff", "beff_io", "overlap",
                 "nht1_application", "madbench2", "both", "trace", "trace_hostile", "many"):
        with Browser() as b:
            b.size(1240, 900)
            b.open(os.path.join(work, name + ".html"))
            ready(b)
            b.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            for i in range(min(12, b.evaluate("document.querySelectorAll('figure.chart').length"))):
                live(b, f"#f{i}")
            for dark, width in ((False, 1240), (True, 1240), (False, 400)):
                b.size(width, 900, dark)
                drawn(b)
                where = f"{name}, {'dark' if dark else 'light'}, {width}"
                bad = b.evaluate(ACCESSIBLE)
                check(f"{where}: names, roles, references, headings, tables, lists, tab order", not bad, "\n".join(bad))
                texts = b.evaluate(SEEN)
                check(f"{where}: every text that is seen has a contrast of 4.5", not texts["bad"] and texts["seen"] > 20, texts)
                wide = b.evaluate("document.documentElement.scrollWidth - innerWidth")
                check(f"{where}: nothing sticks out at the side", wide <= 0, wide)
                lost = b.evaluate(LOST) if width == 400 else []
                check(f"{where}: no column of a table is out of sight", not lost, lost)
            small = b.evaluate("""[...document.querySelectorAll('figure.chart .plot')].filter(p => p.clientWidth && p.closest('figure').pario &&
                p.clientWidth / p.viewBox.baseVal.width < 0.9 && p.clientWidth > 280).length""")
            check(f"{name}: letters in pictures stay readable on a narrow screen", small == 0, small)
            quiet(b, name + " in all looks")


def with_playwright(work):
    """The same pages under playwright-core with axe-core and html-validate, where npm could bring them."""
    where = os.path.join(os.environ.get("CHECK_DIR", os.path.join(HERE, "../../build/check")), "node")
    node = shutil.which("node")
    if not node or not os.path.isdir(os.path.join(where, "node_modules", "playwright-core")):
        print("# playwright-core, axe-core and html-validate are not installed: the checks above stand alone")
        return
    import chrome
    pages = [os.path.join(work, n + ".html") for n in ("sweep", "tile", "hostile", "endless", "beff_io", "overlap", "trace",
                                                      "nht1_application", "compare", "both")]
    try:
        done = subprocess.run([node, os.path.join(HERE, "node", "check.mjs"), chrome.program(), *pages], cwd=where,
                              timeout=240, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        print("# the machine is too busy for playwright: the checks above stand alone")
        return
    lines = done.stdout.splitlines()
    for i, line in enumerate(lines):
        found = re.match(r"(not )?ok \d+ (.*)", line)
        if found:
            why = [l for l in lines[i + 1:i + 12] if l.startswith("#")] if found.group(1) else []
            check("playwright: " + found.group(2), not found.group(1), "\n".join(why))
    check("playwright came to its end", done.returncode in (0, 1) and lines and lines[-1].startswith("1.."), done.stderr)


def keyboard(Browser, work):
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "sweep.html"))
        ready(b)
        seen = set()
        for _ in range(60):
            b.key("Tab")
            seen.add(b.evaluate("""(() => { const e = document.activeElement;
                return e.tagName.toLowerCase() + (e.getAttribute('class') ? '.' + e.getAttribute('class') : ''); })()"""))
        check("keys reach buttons, links, tables' heads and pictures",
              {"button", "a", "summary", "svg.plot"} <= {s.split(" ")[0] for s in seen}, seen)
        for _ in range(4):
            b.key("Tab")
        visible = b.evaluate("""(() => { const s = getComputedStyle(document.activeElement);
            return document.activeElement !== document.body && s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1; })()""")
        check("what has the focus is outlined", visible)
        stations = b.evaluate("""[...document.querySelectorAll('a[href], button, summary, [tabindex="0"]')]
            .filter(e => e.getClientRects().length).length""")
        b.evaluate("document.querySelector('#theme').focus()")
        for steps in range(stations + 200):
            b.key("Tab")
            if b.evaluate("!!document.activeElement.closest('section:has(#results)')"):
                break
        check("keys come through the whole page: nothing holds them", steps < stations + 199, steps)
        nameless = b.evaluate("""[...document.querySelectorAll('button, a, summary')]
            .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label'))).length""")
        check("everything that can be pressed has a name", nameless == 0, nameless)
        ids = b.evaluate("(() => { const i = [...document.querySelectorAll('[id]')].map(e => e.id); return i.length - new Set(i).size; })()")
        check("no id is there twice", ids == 0, ids)
        unnamed = [n for n in b.call("Accessibility.getFullAXTree")["nodes"]
                   if n.get("role", {}).get("value") in ("image", "button", "link") and not n.get("ignored")
                   and not n.get("name", {}).get("value")]
        check("the accessibility tree names every image, button and link", not unnamed, unnamed[:3])
        heads = b.evaluate("[...document.querySelectorAll('table')].filter(t => !t.querySelector('th[scope]')).length")
        check("every table has heads with a scope", heads == 0, heads)
        order = b.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
        check("headings begin with one h1 and skip none but before pictures", order[0] == 1 and order.count(1) == 1)


CONTRAST = """(dark => { document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    const s = getComputedStyle(document.documentElement);
    const light = c => { const n = parseInt(c.trim().replace('#', '').replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3'), 16);
        return [n >> 16, n >> 8 & 255, n & 255].map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; })
            .reduce((a, v, i) => a + v * [.2126, .7152, .0722][i], 0); };
    const against = (a, b) => { const x = light(s.getPropertyValue(a)), y = light(s.getPropertyValue(b));
        return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
    const bad = ['--ink', '--quiet', '--look', '--doubt', '--bad'].flatMap(c => ['--card', '--paper'].map(b => [c, b, against(c, b)]))
        .concat([0,1,2,3,4,5,6,7].map(i => ['--c' + i, '--card', against('--c' + i, '--card') * 1.5]))
        .concat([0,1,2,3,4].map(i => ['--low-ink', '--h' + i, against('--low-ink', '--h' + i)]))
        .concat([6,7,8].map(i => ['--high-ink', '--h' + i, against('--high-ink', '--h' + i)]))
        .filter(r => r[2] < 4.5); return bad; })(%s)"""


def many(Browser, work, update):
    """200 systems: a page that is small, opens soon, and can be asked for one of them."""
    page = os.path.join(work, "many.html")
    check("many: 200 systems in a page below 5 MB", os.path.getsize(page) < 5e6, os.path.getsize(page))
    with Browser() as b:
        b.size(1240, 900)
        b.open(page)
        ready(b)
        check("many: suspect numbers are marked", b.evaluate("document.querySelectorAll('.node circle.suspect').length") == 2)
        picture = shoot(b, work, "systems", ".node figure.broad", update)
        check("many: the view that was asked for is the one that is seen", b.evaluate(
            "[...document.querySelectorAll('.view')].filter(v => v.getClientRects().length).map(v => v.className)") == ["view node"])
        dots = b.evaluate("""(() => { const rows = document.querySelectorAll('.node tbody tr').length,
            cells = document.querySelectorAll('.node td:nth-child(n+5)[data-v]').length;
            return [rows, cells, document.querySelectorAll('.node .broad circle').length, document.querySelectorAll('.node .small circle').length]; })()""")
        check("many: a row for each system, and a dot in both pictures for each number", dots[0] == 200 and dots[1] == dots[2] == dots[3] > 2300, dots)
        # the number over the nodes, wherever both stand
        wrong = b.evaluate("""[...document.querySelectorAll('.whole tbody tr')].filter(r => { const nodes = +r.cells[2].dataset.v,
            other = document.querySelector(`.node tr[data-s="${r.dataset.s}"]`);
            return [...r.cells].some((c, i) => i > 3 && c.dataset.v && Math.abs(c.dataset.v / nodes / other.cells[i].dataset.v - 1) > 1e-5); }).length""")
        check("many: for one node, numbers are divided by the nodes", wrong == 0, wrong)
        said = "document.querySelector('.node text.standing').textContent"
        before = b.evaluate(said)
        b.evaluate("document.querySelector('#per-client').click()")
        check("many: another view", b.evaluate("document.querySelector('.client').getClientRects().length") > 0)
        b.evaluate("document.querySelector('#per-node').click()")
        b.evaluate("document.querySelector('.node tr[data-s=\"9\"] td').click()")
        marked = b.evaluate("[...document.querySelectorAll('.marked')].map(e => e.dataset.s)")
        check("many: a press on a row highlights its system in every view", set(marked) == {"9"} and len(marked) > 3 * 20, len(marked))
        check("many: what is said is said of that one", b.evaluate(said) != before and
              b.evaluate("document.querySelector('.node .who').textContent") == "beegfs <b>9</b>", b.evaluate(said))
        b.evaluate("(() => { const l = document.querySelector('#system'); l.value = '0'; l.dispatchEvent(new Event('change')); })()")
        check("many: the script says what C said", b.evaluate(said) == before, (before, b.evaluate(said)))
        until(lambda: b.evaluate("!!document.querySelector('.node thead button')"), "the table cannot be sorted")
        b.evaluate("document.querySelectorAll('.node thead button')[4].click()")
        order = b.evaluate("[...document.querySelectorAll('.node tbody tr')].map(r => +r.cells[4].dataset.v)")
        check("many: sorted by a measurement", order == sorted(order) and len(set(order)) > 190)
        quiet(b, "many")
    looks(Browser, "systems", picture)


def colours(Browser, work):
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "sweep.html"))
        for dark in ("false", "true"):
            bad = b.evaluate(CONTRAST % dark)
            check(f"contrast of texts is 4.5, of lines 3 ({'dark' if dark == 'true' else 'light'})", not bad, bad)


def traced(Browser, work):
    """Call sites are links to source lines; whatever a name holds, they lead to files of this machine or nowhere."""
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "trace_hostile.html"))
        ready(b)
        links = b.evaluate("[...document.querySelectorAll('td.site a')].map(a => [a.getAttribute('href'), a.protocol, a.host])")
        check("trace: a call site is a link to its line", ["file:///site/src/solver.cc#L118", "file:", ""] in links, links)
        check("trace: links lead to files of this machine only",
              len(links) == 2 and all(protocol == "file:" and host == "" for _, protocol, host in links), links)
        check("trace: a place without a source is library and offset", b.evaluate(
            "[...document.querySelectorAll('td.site')].some(t => t.textContent === '/usr/lib/libother.so.1+0x1234')"))
        check("trace: hostile names stay text", b.evaluate("document.body.textContent.includes('</script><script>alert(1)</script>')"))
        for i in range(b.evaluate("document.querySelectorAll('figure.chart').length")):
            live(b, f"#f{i}")
        b.evaluate("document.querySelector('figure.chart:has(.lane) .plot').focus()")
        b.key("ArrowRight")
        text = b.evaluate("document.querySelector('figure.chart:has(.lane) .tip').textContent")
        check("trace: arrow keys read the timeline out", "rank 0" in text and "calls" in text and "busy" in text, text)
        same = b.evaluate("""(() => { const f = document.querySelector('figure.chart:has(.lane)'), s = JSON.parse(f.querySelector('script').textContent).series;
            return [s.reduce((n, x) => n + x.marks.length, 0), f.querySelectorAll('.plot .lane').length]; })()""")
        check("trace: C and script draw the same bars", same[0] == same[1] > 8, same)
        quiet(b, "trace")
    page = pario("report", "--anonymize", "1", os.path.join(work, "trace"), "--out", "-")
    check("trace: an anonymous page names no host, user or path", not re.search(r"/site|node\d|/scratch|/usr/lib", page),
          re.findall(r".{30}(?:/site|node\d|/scratch|/usr/lib).{30}", page)[:3])


def hostile(Browser, work):
    with open(os.path.join(work, "hostile.html"), encoding="utf-8") as file:
        page = file.read()
    check("two script elements run nothing but the page's own", len(re.findall(r"<script>", page)) == 1)
    check("no mark that turns the direction of writing", not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", page))
    with Browser() as b:
        b.size(1240, 900)
        b.open(os.path.join(work, "hostile.html"))
        ready(b)
        for i in range(b.evaluate("document.querySelectorAll('figure.chart').length")):
            live(b, f"#f{i}")
        check("hostile names stay text", b.evaluate("document.body.textContent.includes('</script><script>alert(1)</script>')"))
        quiet(b, "hostile")


def without_script(Browser, work):
    for journal in ("sweep", "metadata", "tile", "interactive", "trace", "beff", "beff_io", "overlap", "nht1_application",
                    "madbench2"):
        with Browser(script=False) as b:
            b.size(1240, 900)
            b.open(os.path.join(work, journal + ".html"))
            check(f"{journal}: the first picture and the tables of all are there without script", b.evaluate("""
                document.querySelectorAll('.plot').length > 0 && document.querySelectorAll('tbody tr').length > 4 &&
                !!document.querySelector('.plot').querySelector('.series, .cell') &&
                [...document.querySelectorAll('figure.chart')].every(f => f.querySelector('tbody tr')) &&
                [...document.querySelectorAll('.plot:empty')].every(p => !p.getClientRects().length) &&
                document.querySelectorAll('.tools').length === 0"""))
            quiet(b, journal + " without script")


def valid(work):
    try:
        import html5lib
    except ImportError:
        print(f"# html5lib is not installed: pages are not validated")
        return
    for name in ("sweep", "metadata", "tile", "interactive", "survey", "hostile", "endless", "compare", "beff", "beff_io", "bent",
                 "trace", "trace_hostile", "many"):
        with open(os.path.join(work, name + ".html"), "rb") as file:
            text = file.read()
        parser = html5lib.HTMLParser(strict=False)
        parser.parse(text, transport_encoding="utf-8")
        check(f"{name}: the page parses without an error", not parser.errors, parser.errors[:5])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--update", action="store_true")
    arguments.add_argument("--keep")
    given = arguments.parse_args()
    try:
        import chrome
    except ImportError:
        print("1..0 # skip python3-websocket is not installed")
        return 0
    if not chrome.program():
        print("1..0 # skip Chromium is not installed")
        return 0
    work = given.keep or tempfile.mkdtemp(prefix="pario-browser-")
    os.makedirs(work, exist_ok=True)
    try:
        for name, make in journals.all_journals().items():
            journals.write(os.path.join(work, name), make())
            pario("report", os.path.join(work, name), "--out", os.path.join(work, name + ".html"))
        pario("compare", os.path.join(work, "sweep"), os.path.join(work, "faster"), "--out",
              os.path.join(work, "compare.html"))
        pario("report", os.path.join(work, "sweep"), os.path.join(work, "faster"), "--label", "before,after", "--out",
              os.path.join(work, "both.html"))
        for i, lines in enumerate(journals.systems(200)):
            journals.write(os.path.join(work, "systems", f"{i:03}"), lines)
        pario("compare", os.path.join(work, "systems"), "--per", "node", "--out", os.path.join(work, "many.html"))
        valid(work)
        pictures(chrome.Browser, work, given.update)
        interaction(chrome.Browser, work)
        sorting(chrome.Browser, work)
        many(chrome.Browser, work, given.update)
        two_scales(chrome.Browser, work)
        csv_of_all(chrome.Browser, work)
        accessible(chrome.Browser, work)
        keyboard(chrome.Browser, work)
        colours(chrome.Browser, work)
        hostile(chrome.Browser, work)
        traced(chrome.Browser, work)
        without_script(chrome.Browser, work)
        with_playwright(work)
    finally:
        if not given.keep:
            shutil.rmtree(work, ignore_errors=True)
    print(f"1..{NUMBER}")
    return FAILED > 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
