#!/usr/bin/env python3
"""Receives the events of Tillgate with nothing but Python 3.8 or later.

    python3 receiver.py serve            an endpoint for webhooks on PORT (3000), and the processing
    python3 receiver.py feed [--follow]  fetch the events after the last number from the feed, once or continuously
    python3 receiver.py work             process the events of the inbox, once; do not run it beside `serve`

Settings are variables: WEBHOOK_SECRETS (one or more, separated by spaces), TILLGATE_URL and TILLGATE_KEY for the feed,
RECEIVER_DIR (./tillgate-inbox), HOST (127.0.0.1) and PORT.

Each event is a file of the inbox, named after its number and id and made once: that is how ids are remembered, and how a
delivery is answered before the work is done. A processed event moves to done/. Change `handle` to what you need; it can
be called twice with the same event when the process is killed inside it.
"""

import base64, hashlib, hmac, json, os, random, re, sys, threading, time
import urllib.error, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGEST_BODY = 4_194_304


def handle(event):
    """Your work. Raise to have the event come again."""
    print(event["type"], event["sequence"], event["id"], flush=True)


class Refused(Exception):
    """The request is no delivery of Tillgate; the text says why."""


def key_of(secret):
    """The bytes that sign. An empty or short secret, as an unset variable makes it, would let anybody sign."""
    form = re.fullmatch(r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)", secret)
    key = base64.b64decode(form.group(1)) if form else b""
    if not 24 <= len(key) <= 64:
        raise ValueError("a secret must be whsec_ followed by 24 to 64 bytes in base64")
    return key


def verify(secrets, headers, body, now=None, tolerance=300):
    """Standard Webhooks 1.0, over the raw bytes of the body. `headers` has names in small letters."""
    given = [headers.get(name) or "" for name in ("webhook-id", "webhook-timestamp", "webhook-signature")]
    if "" in given:
        raise Refused("header_missing")
    name, timestamp, signatures = given
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise Refused("timestamp_off")
    signed = f"{name}.{timestamp}.".encode() + body
    for secret in secrets:
        key = key_of(secret)
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected.encode(), one.encode()) for one in signatures.split(" ")):
            return
    raise Refused("signature_wrong")


def read_event(body):
    """The event of a body. Its id becomes the name of a file, so it is looked at."""
    try:
        event = json.loads(body.decode("utf-8"))
        known = re.fullmatch(r"[A-Za-z0-9_-]{1,200}", event["id"]) and type(event["sequence"]) is int
        if not known or event["sequence"] < 0 or not isinstance(event["type"], str):
            raise ValueError("no event")
        return event
    except (ValueError, KeyError, TypeError):
        raise Refused("body_invalid") from None


def is_test(event):
    """Events of the test operation never happened. The id is signed; the header `webhook-test` is not."""
    return "_00000000_" in event["id"]


class Inbox:
    """Events on disk, each once."""

    def __init__(self, folder):
        self.inbox, self.done = os.path.join(folder, "inbox"), os.path.join(folder, "done")
        self.position_file = os.path.join(folder, "position.json")
        for path in (self.inbox, self.done):
            os.makedirs(path, mode=0o700, exist_ok=True)

    def store(self, event, body):
        """False when the event is known. On return it is on the disk: a kill loses nothing."""
        name = f"{event['sequence']:016d}-{event['id']}.json"
        path, done = os.path.join(self.inbox, name), os.path.join(self.done, name)
        written = self._write(body)
        try:
            os.link(written, path)
        except FileExistsError:
            return False
        finally:
            os.unlink(written)
        sync_folder(self.inbox)
        if os.path.exists(done):
            os.unlink(path)
            return False
        return True

    def _write(self, body):
        path = f"{self.inbox}/.{os.getpid()}-{threading.get_ident()}-{random.getrandbits(64):x}"
        with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        return path

    def work(self):
        """Deals with everything in the inbox, the lowest number first."""
        for name in sorted(name for name in os.listdir(self.inbox) if not name.startswith(".")):
            path, done = os.path.join(self.inbox, name), os.path.join(self.done, name)
            if not os.path.exists(done):
                with open(path, "rb") as file:
                    handle(json.loads(file.read()))
            os.replace(path, done)

    def position(self):
        """Where the feed was left: (after, epoch)."""
        try:
            with open(self.position_file, "rb") as file:
                known = json.loads(file.read())
            return known["after"], known["epoch"]
        except FileNotFoundError:
            return 0, ""

    def move_to(self, after, epoch):
        written = self._write(json.dumps({"after": after, "epoch": epoch}).encode())
        os.replace(written, self.position_file)


def sync_folder(path):
    folder = os.open(path, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


class Endpoint(BaseHTTPRequestHandler):
    """Answers as soon as the event is on the disk; the work comes after."""

    timeout = 10
    secrets, inbox, news = [], None, threading.Event()

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch(r"[0-9]{1,15}", length):
            return self.answer(411, "send a content-length")
        if int(length) > LARGEST_BODY:
            return self.answer(413, "the body is too large")
        body = self.rfile.read(int(length))
        try:
            verify(self.secrets, {name.lower(): value for name, value in self.headers.items()}, body)
            event = read_event(body)
        except Refused as reason:
            return self.answer(400, str(reason))
        if not is_test(event):
            self.inbox.store(event, body)
            self.news.set()
        self.answer(204, "")

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = status >= 400

    def log_message(self, *_):
        pass


def serve(inbox):
    Endpoint.secrets, Endpoint.inbox = secrets_of(os.environ.get("WEBHOOK_SECRETS", "")), inbox
    server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "3000"))), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"listening on {server.server_port}", flush=True)
    while True:
        Endpoint.news.clear()
        try:
            inbox.work()
        except Exception as error:
            print(f"processing failed, retrying: {error}", file=sys.stderr, flush=True)
        Endpoint.news.wait(5)


def secrets_of(text):
    secrets = text.split()
    try:
        if secrets and all(map(key_of, secrets)):
            return secrets
    except ValueError:
        pass
    sys.exit("set WEBHOOK_SECRETS to the secret of the webhook: whsec_ followed by 24 to 64 bytes in base64; separate several with spaces")


def feed_request(url, key, after, epoch, wait):
    """The address and the headers that ask for what comes after a number."""
    query = {"after": after, "limit": 500, "wait": wait, **({"epoch": epoch} if epoch else {})}
    return f"{url.rstrip('/')}/v1/events/?{urllib.parse.urlencode(query)}", {"x-api-key": key}


def read_page(body):
    """Events of a page, and where to go on: (events, after, epoch, is_at_head)."""
    page = json.loads(body)
    meta = page["meta"]
    return page["data"], meta["next"], meta["epoch"], meta["next"] >= meta["head"]


def read_problem(status, body):
    """What an answer that is no success says: (code, detail, request id)."""
    try:
        problem = json.loads(body)
        return problem["code"], problem["detail"], problem["requestId"]
    except (ValueError, KeyError, TypeError):
        return "unexpected_answer", f"the server answered {status}", ""


def wait_before_retry(status, retry_after, attempt, chance):
    """Milliseconds until the same is asked again, or None where that does not help. Status 0 is no answer."""
    if 0 < status < 500 and status not in (408, 429):
        return None
    asked = int(retry_after) * 1000 if re.fullmatch(r"[0-9]+", retry_after or "") else 0
    return max(asked, int(chance * min(10_000, 200 * 2 ** min(attempt, 16))))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would hand the key to another host."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def ask(url, headers):
    """Asks until there is an answer. Ends the program where asking again does not help."""
    attempt = 0
    while True:
        try:
            with opener.open(urllib.request.Request(url, headers=headers), timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            status, retry_after, body = error.code, error.headers.get("retry-after", ""), error.read()
        except OSError as error:
            status, retry_after, body = 0, "", str(error).encode()
        wait = wait_before_retry(status, retry_after, attempt, random.random())
        if wait is None:
            # 409 epoch_changed and sequence_ahead are for a person to look at: docs/webhooks, "Read the feed".
            sys.exit("%s: %s (request %s)" % read_problem(status, body))
        time.sleep(wait / 1000)
        attempt += 1


def feed(inbox, follow):
    url, key = os.environ.get("TILLGATE_URL", ""), os.environ.get("TILLGATE_KEY", "")
    if not re.match("https?://", url) or not key:
        sys.exit("set TILLGATE_URL to the URL of the server, such as https://pos.example, and TILLGATE_KEY to a key of the scope read")
    at_head = False
    while True:
        after, epoch = inbox.position()
        body = ask(*feed_request(url, key, after, epoch, 25 if follow and at_head else 0))
        events, after, epoch, at_head = read_page(body)
        for event in events:
            inbox.store(event, json.dumps(event, ensure_ascii=False).encode())
        # Only now: a kill before this line reads the page again, and every event is known by then.
        inbox.move_to(after, epoch)
        if at_head and not follow:
            return


def main():
    inbox = Inbox(os.environ.get("RECEIVER_DIR", "./tillgate-inbox"))
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "serve":
        serve(inbox)
    elif command == "feed":
        feed(inbox, "--follow" in sys.argv)
    elif command == "work":
        inbox.work()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
