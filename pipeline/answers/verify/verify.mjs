// Checks an exported file of auditlake without auditlake: the file, the log, its heads and the landed files below them.
// Run it in its folder with Node 20 or newer:
//
//   node verify.mjs FILE [--meta FILE] [--head FILE] [--public-key FILE] [--queries DIR] [--format json]
//
// The log is a tree of RFC 6962 whose heads are checkpoints of C2SP (tlog-checkpoint, signed-note, Ed25519). The report
// is not made again here: the best result is `stored pages match the log`.
import { createHash, createPublicKey, verify } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const folder = dirname(fileURLToPath(import.meta.url));

class Mismatch extends Error {}

function fail(result, reason) {
  throw Object.assign(new Mismatch(reason), { result });
}

const failLog = (reason) => fail("log changed", reason);
const failPages = (reason) => fail("stored pages changed", reason);

const sha256 = (...parts) =>
  createHash("sha256")
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
const hex = (bytes) => sha256(bytes).toString("hex");

function readRequired(path) {
  try {
    return readFileSync(path);
  } catch {
    throw new Error(`${path} cannot be read`);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A leaf is hashed behind a zero byte, two nodes behind a one.
function computeRoot(hashes) {
  if (hashes.length < 2) return hashes[0] ?? sha256("");
  let middle = 1;
  while (middle * 2 < hashes.length) middle *= 2;
  const [left, right] = [hashes.slice(0, middle), hashes.slice(middle)];
  return sha256(Buffer.of(1), computeRoot(left), computeRoot(right));
}

function parseHead(note, name) {
  const end = note.indexOf("\n\n");
  const text = end === -1 ? note : note.slice(0, end + 1);
  const [, origin, size, root] =
    /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(text) ?? [];
  if (origin === undefined) failLog(`${name} is no checkpoint`);
  const signatures = [...note.slice(text.length).matchAll(/^— (\S+) (\S+)$/gmu)];
  return { name, text, origin, size: Number(size), root: Buffer.from(root, "base64"), signatures };
}

function parseKey(text) {
  const [, name, id, base64] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = Buffer.from(base64 ?? "", "base64");
  const found = sha256(`${name}\n`, bytes).toString("hex").slice(0, 8);
  if (bytes.length !== 33 || bytes[0] !== 1 || found !== id)
    failLog("the public key is no verifier key of Ed25519");
  const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.subarray(1).toString("base64url") };
  return { name, id, publicKey: createPublicKey({ key: jwk, format: "jwk" }) };
}

function checkOrigin({ name, origin, text, signatures }, key, expected = key?.name) {
  if (expected !== undefined && origin !== expected)
    failLog(`${name} is of ${origin}, expected ${expected}`);
  if (signatures.length === 0) return;
  const own = signatures
    .map(([, signer, base64]) => ({ signer, bytes: Buffer.from(base64, "base64") }))
    .filter(({ signer, bytes }) => signer === key?.name && bytes.toString("hex", 0, 4) === key.id);
  if (own.length === 0) failLog(`${name} has no signature of the key`);
  const isValid = ({ bytes }) => verify(null, Buffer.from(text), key.publicKey, bytes.subarray(4));
  if (!own.every(isValid)) failLog(`${name} has a signature that is not valid`);
}

function checkEntries(lines, { name, size, root }) {
  if (lines.length < size) failLog(`entries ${lines.length} to ${size - 1} of ${name} are missing`);
  const hashes = lines.slice(0, size).map((line) => sha256(Buffer.of(0), line));
  if (!computeRoot(hashes).equals(root))
    failLog(`the first ${size} entries are not those of ${name}`);
}

function readLeaves(lines) {
  return lines.map((line, place) => {
    const leaf = parse(line);
    if (leaf?.v !== 1 || !Number.isInteger(leaf.index)) failLog(`entry ${place} cannot be read`);
    if (leaf.index !== place)
      failLog(`entry ${place} is missing: entry ${leaf.index} is in its place`);
    return leaf;
  });
}

function checkLog(meta, flags) {
  const given = flags["public-key"] && readRequired(flags["public-key"]).toString();
  const keys = [given, meta.evidence.public_key].flatMap((text) => text?.trim() ?? []);
  if (new Set(keys).size > 1)
    failLog("the description, the home and --public-key do not name one key");
  const key = keys.length === 0 ? undefined : parseKey(keys[0]);
  const head = parseHead(meta.evidence.head, "the head of the description");
  checkOrigin(head, key);
  // What is behind the last line end was cut off.
  const entries = readRequired(join(folder, "entries.ndjson")).toString();
  const lines = entries.split("\n").slice(0, -1);
  const leaves = readLeaves(lines);
  checkEntries(lines, head);
  for (const name of readdirSync(join(folder, "heads"))) {
    const note = readRequired(join(folder, "heads", name)).toString();
    const stored = parseHead(note, "the stored head");
    checkOrigin(stored, key, head.origin);
    checkEntries(lines, stored);
  }
  return { key, head, lines, leaves };
}

function checkOutsideHead(path, { key, head, lines, leaves }) {
  if (path === undefined) return "no head from elsewhere was given";
  const outside = parseHead(readRequired(path).toString(), "the head from elsewhere");
  checkOrigin(outside, key, head.origin);
  checkEntries(lines, outside);
  if (outside.size < head.size)
    return `the head from elsewhere reaches to ${leaves[outside.size - 1]?.at ?? "no entry"}`;
  if (head.signatures.length === 0) return "the head of the description is not signed";
  return outside.signatures.length === 0 ? "the head from elsewhere is not signed" : undefined;
}

const landed = (path) => join(folder, "manifests", path.replace(/\.zst$/, ""));

function readPruneRecords(leaves) {
  const records = new Map();
  for (const { kind, path, sha256: hash } of leaves) {
    if (kind !== "prune" || !existsSync(landed(path))) continue;
    const bytes = readFileSync(landed(path));
    if (hex(bytes) !== hash) continue;
    for (const read of parse(bytes)?.reads ?? [])
      records.set(read.read_id, [...(records.get(read.read_id) ?? []), read]);
  }
  return records;
}

function formatManifest(read) {
  const pages = read.pages.map(({ place: _place, ...page }) => page);
  return `${JSON.stringify(read.version < 4 ? read : { ...read, pages }, null, 1)}\n`;
}

const time = (text) => Date.parse(`${text.replace(" ", "T")}Z`);

// A file has no window, and a report without a range takes all.
function overlaps({ window_start: start, window_end: end } = {}, { since, until }) {
  if (start == null || end == null || since == null || until == null) return true;
  return !(time(end) <= Date.parse(since) || time(start) >= Date.parse(until));
}

function checkFiles(meta, leaves, all) {
  const prunes = readPruneRecords(all);
  const pruned = [];
  let reads = 0;
  for (const leaf of leaves.filter(({ kind }) => kind !== "program")) {
    const [path, readId] = [landed(leaf.path), basename(leaf.path, ".json")];
    if (!existsSync(path)) {
      if (leaf.kind !== "read" || !prunes.has(readId)) failPages(`${leaf.path} is missing`);
      const manifest = prunes.get(readId).find((read) => hex(formatManifest(read)) === leaf.sha256);
      if (meta.source === null || manifest === undefined || manifest.source === meta.source)
        pruned.push({ readId, manifest });
      continue;
    }
    const bytes = readFileSync(path);
    if (hex(bytes) !== leaf.sha256) failPages(`${leaf.path} is not what entry ${leaf.index} names`);
    if (leaf.kind !== "read") continue;
    const manifest = parse(bytes);
    if (meta.source !== null && manifest.source !== meta.source) continue;
    reads += 1;
    for (const { sha256: hash } of manifest.pages) {
      const page = join(folder, "pages", hash);
      if (!existsSync(page) && !overlaps(manifest, meta.parameters)) continue;
      if (!existsSync(page) || hex(readFileSync(page)) !== hash)
        failPages(`${leaf.path} has another page: ${hash}`);
    }
  }
  return { reads, pruned };
}

// A report whose header has the scope `range` uses reads of its range alone; one with a reach may use others.
function refusePruned(pruned, meta, queries) {
  if (pruned.length === 0) return;
  const names = existsSync(queries) ? readdirSync(queries) : [];
  const texts = names.map((name) => readFileSync(join(queries, name)));
  const sql = texts.find((text) => hex(text) === meta.sql_sha256)?.toString();
  if (sql === undefined) throw new Error(`no report has the SQL of ${meta.report}`);
  const header = sql.split(/^(?!--)/m)[0];
  const isRange = /^-- scope: range$/m.test(header) && !/^-- reach: [^0]/m.test(header);
  const used = pruned.find((read) => !isRange || overlaps(read.manifest, meta.parameters));
  if (used !== undefined) fail("stored pages pruned", `read ${used.readId} was pruned`);
}

const options = Object.fromEntries(
  ["meta", "head", "public-key", "queries", "format"].map((name) => [name, { type: "string" }]),
);

function run() {
  const { values: flags, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length !== 1) throw new Error("expected one FILE");
  const meta = parse(readRequired(flags.meta ?? `${positionals[0]}.meta.json`));
  if (typeof meta?.evidence?.head !== "string") throw new Error("the description names no head");
  const done = [];
  let [reads, verdict] = [0, undefined];
  try {
    const found = hex(readRequired(positionals[0]));
    if (found !== meta.sha256)
      fail("file changed since export", `its SHA-256 is ${found}, expected ${meta.sha256}`);
    done.push(`SHA-256 ${found}`);
    const log = checkLog(meta, flags);
    done.push(`${log.head.size} entries of ${log.head.origin}`);
    const weakness = checkOutsideHead(flags.head, log);
    done.push(weakness ?? "covers the entries");
    const files = checkFiles(meta, log.leaves.slice(0, log.head.size), log.leaves);
    reads = files.reads;
    refusePruned(files.pruned, meta, flags.queries ?? join(folder, "queries"));
    done.push(`${reads} reads`);
    verdict = { result: "stored pages match the log", reason: weakness ?? `${reads} reads` };
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    verdict = { result: error.result, reason: error.message };
  }
  const results = [...done.map(() => "holds"), "fails", ...Array(4).fill("not checked")];
  const details = [...done, verdict.reason, "", "", ""];
  const steps = [1, 2, 3, 4].map((step, i) => ({ step, result: results[i], detail: details[i] }));
  const all = { ...verdict, steps, head: meta.evidence.head, reads };
  const text = flags.format === "json" ? JSON.stringify(all) : `${all.result}: ${all.reason}`;
  process.stdout.write(`${text}\n`);
  process.exitCode = done.length === 4 ? 0 : 3;
}

try {
  run();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
