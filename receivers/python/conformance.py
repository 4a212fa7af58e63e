"""Answers the conformance vectors: inputs by kind on stdin, results by kind on stdout."""

import json, sys
import receiver


def signature(given):
    headers = {f"webhook-{name}": given[name] for name in ("id", "timestamp", "signature")}
    try:
        receiver.verify(given["secrets"].split(), headers, given["body"].encode(), given["now"])
        return "ok"
    except receiver.Refused as reason:
        return str(reason)


def event(given):
    try:
        read = receiver.read_event(given["body"].encode())
        kept = {name: read[name] for name in ("id", "type", "timestamp", "locationId", "sequence")}
        return {**kept, "isTest": receiver.is_test(read)}
    except receiver.Refused as reason:
        return str(reason)


def request(given):
    url, headers = receiver.feed_request(given["url"], given["key"], given["after"], given["epoch"], given["wait"])
    return {"url": url, "headers": headers}


def page(given):
    events, after, epoch, at_head = receiver.read_page(given["body"].encode())
    return {"ids": [one["id"] for one in events], "after": after, "epoch": epoch, "isAtHead": at_head}


def error(given):
    code, detail, request_id = receiver.read_problem(given["status"], given["body"].encode())
    return {"code": code, "detail": detail, "requestId": request_id}


def retry(given):
    return receiver.wait_before_retry(given["status"], given["retryAfter"], given["attempt"], given["random"])


kinds = {"signature": signature, "event": event, "request": request, "page": page, "error": error, "retry": retry}
json.dump({kind: [kinds[kind](one) for one in inputs] for kind, inputs in json.load(sys.stdin).items()}, sys.stdout)
