#!/usr/bin/python3
"""open.py PAGE: seconds until a report page can be used, as the browser itself tells: loaded, script done."""
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chrome  # noqa: E402

with chrome.Browser() as browser:
    browser.size(1240, 900)
    browser.open(sys.argv[1])
    for _ in range(600):
        if browser.evaluate("document.documentElement.dataset.ready === '1'"):
            break
        time.sleep(0.05)
    print(browser.evaluate("performance.getEntriesByType('navigation')[0].domInteractive") / 1000)
