"""A headless Chromium driven over its DevTools protocol, with nothing but Debian's python3-websocket.

Chromium writes the address of its debugging socket on standard error. Every command has a deadline. What the page
logs, throws, or asks the network for is collected, and a test fails on any of it.
"""
import atexit
import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

import websocket

PROGRAMS = ("chromium-headless-shell", "chromium", "/usr/lib/chromium/headless_shell")
DEADLINE_S = 300


def program():
    for name in PROGRAMS:
        path = shutil.which(name)
        if path:
            return path
    return None


class Chromium:
    """The process and its socket, started once: that takes longer than most pages do."""
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="pario-chrome-")
        arguments = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--remote-debugging-port=0", "--remote-allow-origins=*", "--no-first-run",
                     "--user-data-dir=" + self.home, "--disable-dev-shm-usage",
                     "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"]
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.next = 0
        atexit.register(self.close)
        self.socket = websocket.create_connection(self._address(), timeout=DEADLINE_S,
                                                  suppress_origin=True)

    def _address(self):
        end = time.monotonic() + DEADLINE_S
        seen = ""
        while time.monotonic() < end:
            ready, _, _ = select.select([self.process.stderr], [], [], 1)
            if ready:
                seen += os.read(self.process.stderr.fileno(), 4096).decode("utf-8", "replace")
                found = re.search(r"(ws://\S+)", seen)
                if found:
                    return found.group(1)
            if self.process.poll() is not None:
                break
        raise RuntimeError("Chromium did not start:\n" + seen)

    def call(self, method, params=None, session=None, event=None):
        """The answer to one command; what the session's page reports meanwhile is handed to event."""
        self.next += 1
        number = self.next
        message = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self.socket.send(json.dumps(message))
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            if event and answer.get("sessionId") == session:
                event(answer)
        raise RuntimeError(method + " has no answer")

    def close(self):
        try:
            self.call("Browser.close")
        except (AttributeError, RuntimeError, OSError, websocket.WebSocketException):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


class Browser:
    """A page in a profile of its own: nothing is kept from the one before."""
    chromium = None

    def __init__(self, script=True):
        if not Browser.chromium:
            Browser.chromium = Chromium()
        self.script = script
        self.trouble = []    # console errors, exceptions, violations of the policy
        self.requests = []   # everything that is not the page itself
        self.profile = self.chromium.call("Target.createBrowserContext")["browserContextId"]
        target = self.chromium.call("Target.createTarget", {"url": "about:blank", "browserContextId": self.profile})["targetId"]
        self.session = self.chromium.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(domain + ".enable")
        self.call("Emulation.setScriptExecutionDisabled", {"value": not script})

    def _take(self, message):
        method, p = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            d = p["exceptionDetails"]
            self.trouble.append("exception: " + str(d.get("exception", {}).get("description", d["text"])))
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.trouble.append("console: " + " ".join(str(a.get("value")) for a in p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.trouble.append("log: " + p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = p["request"]["url"]
            if url != self.url and not url.startswith("blob:"):
                self.requests.append(url[:200])

    def call(self, method, params=None):
        return self.chromium.call(method, params, self.session, self._take)

    def size(self, width, height, dark=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.call("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, path):
        self.url = "file://" + os.path.abspath(path)
        self.call("Page.navigate", {"url": self.url})
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            # Asked of the browser, not of the page: the page's own script may be switched off.
            state = self.evaluate("document.readyState")
            if state == "complete" and self.evaluate("location.href") == self.url:
                return
            time.sleep(0.05)
        raise RuntimeError("the page was not loaded: " + path)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True,
                                                "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(expression + ": " + json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowLeft": 37, "End": 35,
                "Home": 36}.get(key, ord(key[0]))
        if key == "Enter":
            text = {"text": "\r"}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key,
                                                 "windowsVirtualKeyCode": code, **text})

    def mouse(self, kind, x, y, button="none"):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": button,
                                               "buttons": 1 if button == "left" else 0, "clickCount": 1})

    def shot(self, path, clip=None, whole=False):
        params = {"format": "png", "captureBeyondViewport": whole}
        if clip:
            params["clip"] = {**clip, "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", params)["data"]))

    def close(self):
        self.chromium.call("Target.disposeBrowserContext", {"browserContextId": self.profile})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
