#!/usr/bin/env python3
"""Receives the events of Tillgate. Requires only Python 3.8 or later.

    python3 receiver.py serve            an endpoint for webhooks on PORT (3000), and the processing
    python3 receiver.py feed [--follow]  fetch the events after the last number from the feed, once or continuously
    python3 receiver.py work             process the events of the inbox, once; not while `serve` runs

Settings are variables: WEBHOOK_SECRETS (one or more, separated by spaces), TILLGATE_URL and TILLGATE_KEY for the feed,
RECEIVER_DIR (./tillgate-inbox), HOST (127.0.0.1) and PORT.

Each event is a file in the inbox, which is named after its sequence and id and created once. So ids are remembered, and
a delivery is answered before the work is done. A processed event is moved to done/. Change `handle` to what you need. It
is called again with the same event if the process is killed during the call.
"""

import base64, hashlib, hmac, json, os, random, re, sys, threading, time
import urllib.error, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGEST_BODY = 4_194_304


def handle(event):
    """Does your work. Raise an exception to process the event again."""
    print(event["type"], event["sequence"], event["id"], flush=True)


class Refused(Exception):
    """Raised if a request is not a delivery of Tillgate; the text states the reason."""


def key_of(secret):
    """Returns the key of a secret. With an empty or short secret, such as an unset variable, anybody could sign."""
    form = re.fullmatch(r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)", secret)
    key = base64.b64decode(form.group(1)) if form else b""
    if not 24 <= len(key) <= 64:
        raise ValueError("a secret must be whsec_ followed by 24 to 64 bytes in base64")
    return key


def verify(secrets, headers, body, now=None, tolerance=300):
    """Verifies a signature of Standard Webhooks 1.0 over the raw bytes of the body. Names of `headers` are in lower case."""
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
    """Reads the event in a body. Checks the id, which becomes the name of a file."""
    try:
        event = json.loads(body.decode("utf-8"))
        known = re.fullmatch(r"[A-Za-z0-9_-]{1,200}", event["id"]) and type(event["sequence"]) is int
        if not known or event["sequence"] < 0 or not isinstance(event["type"], str):
            raise ValueError("no event")
        return event
    except (ValueError, KeyError, TypeError):
        raise Refused("body_invalid") from None


def is_test(event):
    """Returns whether an event is from the test operation, by its signed id: the header `webhook-test` is not signed."""
    return "_00000000_" in event["id"]


class Inbox:
    """Stores events on disk, each once."""

    def __init__(self, folder):
        self.inbox, self.done = os.path.join(folder, "inbox"), os.path.join(folder, "done")
        self.position_file = os.path.join(folder, "position.json")
        for path in (self.inbox, self.done):
            os.makedirs(path, mode=0o700, exist_ok=True)

    def store(self, event, body):
        """Stores an event; returns false if it is known. On return the event is on disk, so a kill does not lose it."""
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
        """Processes all events in the inbox, the lowest sequence first."""
        for name in sorted(name for name in os.listdir(self.inbox) if not name.startswith(".")):
            path, done = os.path.join(self.inbox, name), os.path.join(self.done, name)
            if not os.path.exists(done):
                with open(path, "rb") as file:
                    handle(json.loads(file.read()))
            os.replace(path, done)

    def position(self):
        """Returns the position in the feed up to which events are stored: (after, epoch)."""
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
    """Responds as soon as the event is on disk; the work follows."""

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
    """Returns the URL and the headers of a request for the events after a sequence."""
    query = {"after": after, "limit": 500, "wait": wait, **({"epoch": epoch} if epoch else {})}
    return f"{url.rstrip('/')}/v1/events/?{urllib.parse.urlencode(query)}", {"x-api-key": key}


def read_page(body):
    """Reads the events of a page, and the position at which to continue: (events, after, epoch, is_at_head)."""
    page = json.loads(body)
    meta = page["meta"]
    return page["data"], meta["next"], meta["epoch"], meta["next"] >= meta["head"]


def read_problem(status, body):
    """Reads the content of a response that is not a success: (code, detail, request id)."""
    try:
        problem = json.loads(body)
        return problem["code"], problem["detail"], problem["requestId"]
    except (ValueError, KeyError, TypeError):
        return "unexpected_answer", f"the server answered {status}", ""


def wait_before_retry(status, retry_after, attempt, chance):
    """Returns the milliseconds until a retry, or None if it does not help. Status 0 means that there is no response."""
    if 0 < status < 500 and status not in (408, 429):
        return None
    asked = int(retry_after) * 1000 if re.fullmatch(r"[0-9]+", retry_after or "") else 0
    return max(asked, int(chance * min(10_000, 200 * 2 ** min(attempt, 16))))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed, because the key could be sent to another host."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def ask(url, headers):
    """Sends a request until there is a response. Ends the program if a retry does not help."""
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
            # 409 epoch_changed and sequence_ahead need a decision by a person: docs/webhooks, "Read the feed".
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
        # The position is stored last: after a kill before this line, the page is read again, and its events are known.
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
