"""Verifies heads, proofs and entries of an auditlake log; shares no code with it. Python's standard library only.

    verify.py log LANDING            entries against head, signature and files
    verify.py proof KEY PROOF        a tlog-proof
    verify.py consistency KEY OLD BODY   the body of a witness request against an older checkpoint
"""

import base64
import hashlib
import json
import pathlib
import sys

# Ed25519 as RFC 8032, section 5.1, defines it.
P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def recover_x(y, sign):
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - xx) % P or (x == 0 and sign):
        return None
    return P - x if x % 2 != sign else x


def add(a, b):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    u, v = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = v - u, d - c, d + c, v + u
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(s, point):
    total = (0, 1, 1, 0)
    while s > 0:
        if s & 1:
            total = add(total, point)
        point = add(point, point)
        s >>= 1
    return total


def decompress(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)


def is_signed(public, message, signature):
    key, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % Q
    x1, y1, z1, _ = multiply(s, BASE)
    x2, y2, z2, _ = add(r, multiply(h, key))
    return (x1 * z2 - x2 * z1) % P == 0 and (y1 * z2 - y2 * z1) % P == 0


# The tree of RFC 6962, section 2.1, by its definitions.
def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def split(n):
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def root(leaves):
    if not leaves:
        return sha()
    if len(leaves) == 1:
        return sha(b"\0", leaves[0])
    k = split(len(leaves))
    return sha(b"\1", root(leaves[:k]), root(leaves[k:]))


def root_from_path(size, index, leaf, path):
    """The root that an inclusion proof leads to, by recursion over the definition of PATH."""
    if size == 1:
        return leaf if not path else None
    if not path:
        return None
    k = split(size)
    side = root_from_path(k, index, leaf, path[:-1]) if index < k else root_from_path(size - k, index - k, leaf, path[:-1])
    if side is None:
        return None
    return sha(b"\1", side, path[-1]) if index < k else sha(b"\1", path[-1], side)


def roots_from_proof(old, new, proof, old_root, whole=True):
    """Both roots that a consistency proof leads to, by recursion over the definition of SUBPROOF."""
    if old == new:
        if whole:
            return (old_root, old_root) if not proof else None
        return (proof[0], proof[0]) if len(proof) == 1 else None
    if not proof:
        return None
    k = split(new)
    if old <= k:
        found = roots_from_proof(old, k, proof[:-1], old_root, whole)
        return found and (found[0], sha(b"\1", found[1], proof[-1]))
    found = roots_from_proof(old - k, new - k, proof[:-1], old_root, False)
    return found and (sha(b"\1", proof[-1], found[0]), sha(b"\1", proof[-1], found[1]))


def fail(why):
    print(why)
    sys.exit(1)


def check_note(note, verifier):
    """Origin, size and root of a checkpoint that is signed by a verifier key."""
    name, key_id, encoded = verifier.strip().split("+", 2)
    raw = base64.b64decode(encoded, validate=True)
    if raw[0] != 1 or len(raw) != 33 or sha(name.encode(), b"\n", raw)[:4].hex() != key_id:
        fail("no verifier key")
    text, _, signatures = note.rpartition("\n\n")
    text += "\n"
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] != "" or lines[0] != name:
        fail("no checkpoint of three lines of this origin")
    for line in signatures.splitlines():
        dash, signer, signature = line.split(" ")
        blob = base64.b64decode(signature, validate=True)
        if dash == "\u2014" and signer == name and blob[:4].hex() == key_id:
            if not is_signed(raw[1:], text.encode(), blob[4:]):
                fail("the signature is not of this checkpoint")
            return int(lines[1]), base64.b64decode(lines[2], validate=True)
    fail("not signed by this key")


def read_lines(landing):
    data = (landing / "log/entries.ndjson").read_bytes()
    if data and not data.endswith(b"\n"):
        data = data[: data.rfind(b"\n") + 1]
    return data.split(b"\n")[:-1]


def unpack(path):
    if path.suffix != ".zst":
        return path.read_bytes()
    try:
        from compression import zstd
    except ImportError:
        return None
    return zstd.decompress(path.read_bytes())


def check_log(landing):
    lines = read_lines(landing)
    note = (landing / "log/head").read_text(encoding="utf-8")
    size, top = check_note(note, (landing / "log/key.pub").read_text(encoding="utf-8"))
    if size > len(lines):
        fail("entries are missing")
    if root(lines[:size]) != top:
        fail("the entries are not those of the head")
    newest = {}
    for index, line in enumerate(lines):
        leaf = json.loads(line)
        if leaf["v"] != 1 or leaf["index"] != index:
            fail(f"entry {index} is out of place")
        if leaf["kind"] != "program":
            newest[leaf["path"]] = leaf["sha256"]
    for path, digest in newest.items():
        if not (landing / path).exists():
            continue
        content = unpack(landing / path)
        if content is not None and hashlib.sha256(content).hexdigest() != digest:
            fail(f"{path} was changed")
    print(f"{size} of {len(lines)} entries, {len(newest)} files")


def check_proof(verifier, text):
    head, _, checkpoint = text.partition("\n\n")
    first, *lines = head.split("\n")
    if first != "c2sp.org/tlog-proof@v1":
        fail("no proof")
    word, extra = lines.pop(0).split(" ")
    if word != "extra":
        fail("no extra line")
    leaf = base64.b64decode(extra, validate=True)
    word, index = lines.pop(0).split(" ")
    size, top = check_note(checkpoint, verifier)
    path = [base64.b64decode(line, validate=True) for line in lines]
    if word != "index" or json.loads(leaf)["index"] != int(index):
        fail("the leaf has another index")
    if int(index) >= size or root_from_path(size, int(index), sha(b"\0", leaf), path) != top:
        fail("the proof does not lead to the root")
    print(leaf.decode())


def check_consistency(verifier, old_note, body):
    head, _, checkpoint = body.partition("\n\n")
    first, *lines = head.split("\n")
    old_size, old_root = check_note(old_note, verifier)
    new_size, new_root = check_note(checkpoint, verifier)
    proof = [base64.b64decode(line, validate=True) for line in lines]
    if first != f"old {old_size}" or old_size > new_size:
        fail("another old size")
    if roots_from_proof(old_size, new_size, proof, old_root) != (old_root, new_root):
        fail("the proof does not lead to both roots")
    print(f"{old_size} to {new_size}")


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    command, *rest = sys.argv[1:]
    if command == "log":
        check_log(pathlib.Path(rest[0]))
    elif command == "proof":
        check_proof(read(rest[0]), read(rest[1]))
    else:
        check_consistency(read(rest[0]), read(rest[1]), read(rest[2]))
