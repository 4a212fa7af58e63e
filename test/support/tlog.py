"""Makes proofs from public documents only, as an outsider would: docs/contract/journal.md (the chain), RFC 6962 section 2.1 (tree, audit path,
consistency), c2sp.org signed-note, tlog-checkpoint, tlog-proof and tlog-witness. OpenSSL signs. Usage: tlog.py <folder> <entries> <older size>"""

import base64, hashlib, json, os, subprocess, sys, uuid

folder, count, older = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
path = lambda name: os.path.join(folder, name)
sha = lambda data: hashlib.sha256(data).digest()
b64 = lambda data: base64.b64encode(data).decode()


def split(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(d):
    if len(d) == 0:
        return sha(b"")
    if len(d) == 1:
        return sha(b"\0" + d[0])
    k = split(len(d))
    return sha(b"\1" + mth(d[:k]) + mth(d[k:]))


def audit_path(m, d):
    if len(d) == 1:
        return []
    k = split(len(d))
    return audit_path(m, d[:k]) + [mth(d[k:])] if m < k else audit_path(m - k, d[k:]) + [mth(d[:k])]


def consistency(m, d, whole=True):
    if m == len(d):
        return [] if whole else [mth(d)]
    k = split(len(d))
    if m <= k:
        return consistency(m, d[:k], whole) + [mth(d[k:])]
    return consistency(m - k, d[k:], False) + [mth(d[:k])]


location = str(uuid.uuid5(uuid.NAMESPACE_URL, "location"))
epoch = "5f0c21ab"
name = f"tlog.example/{location}/{epoch}"
subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path("key.pem")], check=True)
public = subprocess.run(["openssl", "pkey", "-in", path("key.pem"), "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout[-32:]
key_id = sha(name.encode() + b"\n\1" + public)[:4]
open(path("vkey"), "w").write(f"{name}+{key_id.hex()}+{b64(bytes([1]) + public)}")


def note(size, root):
    text = f"{name}\n{size}\n{b64(root)}\n"
    open(path("text"), "w", newline="").write(text)
    args = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", path("key.pem"), "-in", path("text")]
    signature = subprocess.run(args, check=True, capture_output=True).stdout
    return f"{text}\n\u2014 {name} {b64(key_id + signature)}\n"


entries, leaves = [], []
previous = "0" * 64
for n in range(count):
    document = json.dumps({"id": f"order {n}", "total": n / 4, "name": "Caf\u00e9"}, ensure_ascii=False)
    salt = hashlib.md5(str(n).encode()).hexdigest()
    commitment = sha(("tillgate commitment v2\n32\n" + salt + document).encode()).hex()
    entry = {"locationId": location, "epoch": epoch, "seq": n + 1, "acceptedAt": f"2026-03-02T10:00:{n % 60:02}.000Z", "kind": "order",
             "id": str(uuid.uuid5(uuid.NAMESPACE_URL, str(n))), "prevSeq": None, "types": ["order.created"], "commitment": commitment}
    fields = [previous, location, epoch, str(n + 1), entry["acceptedAt"], "order", entry["id"], "", "order.created", commitment]
    digest = sha(("tillgate journal v2\n" + "\n".join(fields)).encode())
    entries.append({"entry": entry, "previousHash": previous, "salt": salt, "document": document})
    leaves.append(digest)
    previous = digest.hex()

last = note(count, mth(leaves))
lines = lambda hashes: "".join(f"{b64(h)}\n" for h in hashes)
for n in range(count):
    extra = b64(json.dumps(entries[n], ensure_ascii=False).encode())
    proof = f"c2sp.org/tlog-proof@v1\nextra {extra}\nindex {n}\n{lines(audit_path(n, leaves))}\n{last}"
    open(path(f"{n}.tlog-proof"), "w", newline="").write(proof)
open(path("older.checkpoint"), "w", newline="").write(note(older, mth(leaves[:older])))
open(path("growth"), "w", newline="").write(f"old {older}\n{lines(consistency(older, leaves))}\n{last}")
open(path("last.checkpoint"), "w", newline="").write(last)
