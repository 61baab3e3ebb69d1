import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Random } from "../../../fixtures/random.ts";
import { type Change, findForged } from "./asked.ts";
import { type Bed, must } from "./bed.ts";
import {
  changeRecord,
  formatJson,
  type LandedRead,
  listReads,
  readLines,
  readPages,
  renamePages,
  sha256,
  writeLines,
  writePages,
} from "./landed.ts";

// Changes of a home by someone who can write in it, and who mostly has no key.

function pickRead(bed: Bed, random: Random): LandedRead {
  return random.pick(listReads(bed.landing).filter(({ manifest }) => manifest.pages.length > 0));
}

function forgePages(bed: Bed, read: LandedRead, random: Random): void {
  const pages = readPages(bed.landing, read);
  const forged = pages.map((page) => changeRecord(page, random));
  if (forged.every((page, i) => page.equals(pages[i]!))) throw new Error("no page was changed");
  const manifest = renamePages(read.manifest, forged);
  writePages(bed.landing, { ...read, manifest }, forged);
  writeFileSync(read.path, formatJson(manifest));
}

// The line of the read names its manifest as it is now.
function forgeLine(bed: Bed, { path }: LandedRead): void {
  const name = path.slice(path.indexOf("reads/"));
  const hash = sha256(readFileSync(path));
  const lines = readLines(bed.landing).map((line) =>
    line.includes(`"path":"${name}"`)
      ? line.replace(/"sha256":"[0-9a-f]{64}"/, `"sha256":"${hash}"`)
      : line,
  );
  writeLines(bed.landing, lines);
}

const reindex = (lines: readonly string[]): string[] =>
  lines.map((line, i) => line.replace(/"index":\d+/, `"index":${i}`));

async function changeRows(bed: Bed, random: Random): Promise<void> {
  const path = join(bed.home, "audit.duckdb");
  chmodSync(path, 0o600);
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(
    random.chance(0.5)
      ? "delete from event_rows where hour(event_time) % 4 < 2"
      : "update event_rows set ip_address = '198.51.100.9', user_email = 'x@example.com', bytesize = 1",
  );
  await connection.run("checkpoint");
  connection.closeSync();
  instance.closeSync();
  chmodSync(path, 0o440);
}

// A log from the beginning over forged pages, which the forger's program signs.
async function forgeLog(bed: Bed, random: Random): Promise<void> {
  for (let left = random.int(1, 3); left > 0; left--)
    forgePages(bed, pickRead(bed, random), random);
  rmSync(join(bed.folder, "heads"), { recursive: true });
  mkdirSync(join(bed.folder, "heads"));
  for (const name of ["entries.ndjson", "head"])
    rmSync(join(bed.landing, "log", name), { force: true });
  await must(bed, ["rebuild", "--force"]);
}

/** Mutations of a home. */
export const homeMutations: readonly Change[] = [
  {
    name: "a page",
    apply: (bed, { file }, random) => {
      const read = pickRead(bed, random);
      writePages(
        bed.landing,
        read,
        readPages(bed.landing, read).map((page) => changeRecord(page, random)),
      );
      return { file };
    },
  },
  {
    name: "a manifest",
    apply: (bed, { file }, random) => {
      const { path, manifest } = pickRead(bed, random);
      const edits = [
        { nightly: !manifest["nightly"] },
        { window_start: "2026-02-01 00:00:00" },
        { pages: [] },
      ];
      writeFileSync(path, formatJson({ ...manifest, ...random.pick(edits) }));
      return { file };
    },
  },
  {
    name: "a page and its manifest",
    apply: async (bed, one, random) => {
      const read = pickRead(bed, random);
      forgePages(bed, read, random);
      if (random.chance(0.6)) forgeLine(bed, read);
      if (random.chance(0.5)) return { file: one.file };
      await must(bed, ["rebuild", "--force"]);
      return findForged(bed, one);
    },
  },
  {
    name: "a row of the database",
    apply: async (bed, one, random) => {
      await changeRows(bed, random);
      return findForged(bed, one);
    },
  },
  {
    name: "a leaf dropped in the middle",
    apply: (bed, { file }, random) => {
      const lines = readLines(bed.landing);
      const rest = lines.toSpliced(random.int(0, lines.length - 2), 1);
      writeLines(bed.landing, random.chance(0.5) ? reindex(rest) : rest);
      return { file };
    },
  },
  {
    name: "leaves dropped at the end",
    apply: (bed, { file }, random) => {
      const lines = readLines(bed.landing);
      writeLines(bed.landing, lines.slice(0, -random.int(1, Math.min(5, lines.length - 1))));
      if (random.chance(0.5)) rmSync(join(bed.landing, "log/head"));
      return { file };
    },
  },
  {
    name: "another key",
    apply: async (bed, one, random) => {
      const { privateKey } = generateKeyPairSync("ed25519");
      const pem = privateKey.export({ type: "pkcs8", format: "pem" });
      writeFileSync(join(bed.folder, "key.pem"), pem, { mode: 0o600 });
      rmSync(join(bed.landing, "log/key.pub"));
      if (random.chance(0.3)) rmSync(join(bed.landing, "log/home.json"));
      await forgeLog(bed, random);
      return findForged(bed, one);
    },
  },
  {
    name: "a fork with the same key",
    apply: async (bed, one, random) => {
      await forgeLog(bed, random);
      return findForged(bed, one);
    },
  },
  {
    name: "an older home",
    apply: (bed, { file }) => {
      rmSync(bed.landing, { recursive: true });
      cpSync(join(bed.folder, "older"), bed.landing, { recursive: true });
      return { file };
    },
  },
  {
    name: "a directory",
    apply: (bed, { file }, random) => {
      const folder = join(bed.landing, "users");
      const path = join(folder, random.pick(readdirSync(folder).sort()));
      const text = zstdDecompressSync(readFileSync(path)).toString("utf8");
      writeFileSync(path, zstdCompressSync(Buffer.from(text.replaceAll("list-7@", "list-70@"))));
      return { file };
    },
  },
  {
    name: "an accepted window before the head",
    apply: (bed, { file }, random) => {
      const folder = join(bed.landing, "marks");
      mkdirSync(folder, { recursive: true });
      const id = `forged-${random.int(1, 1e6)}`;
      const window = { start: "2026-03-01 00:00:00", end: "2026-03-02 00:00:00" };
      const by = { run_id: id, source: "main", marked_at: "2026-03-04 00:00:00", note: "checked" };
      const text = formatJson({ version: 1, mark_id: id, ...window, state: "accepted", ...by });
      writeFileSync(join(folder, `${id}.json`), text);
      const lines = readLines(bed.landing);
      const at = random.int(0, lines.length - 1);
      const line = `{"v":1,"index":${at},"kind":"mark","path":"marks/${id}.json","sha256":"${sha256(text)}","at":"2026-03-04T00:00:00.000Z"}`;
      writeLines(bed.landing, reindex(lines.toSpliced(at, 0, line)));
      return { file };
    },
  },
  {
    name: "a forged prune record",
    apply: (bed, { file }, random) => {
      const { path, manifest } = pickRead(bed, random);
      const id = `forged-${random.int(1, 1e6)}`;
      const record = {
        version: 1,
        prune_id: id,
        pruned_at: "2026-03-05 00:00:00.000",
        before: "2026-03-05 00:00:00",
      };
      const text = formatJson({
        ...record,
        source: null,
        with_events: false,
        events: 0,
        quarantined: 0,
        reads: [manifest],
      });
      mkdirSync(join(bed.landing, "pruned"), { recursive: true });
      writeFileSync(join(bed.landing, "pruned", `${id}.json`), text);
      rmSync(path);
      const lines = readLines(bed.landing);
      const line = `{"v":1,"index":${lines.length},"kind":"prune","path":"pruned/${id}.json","sha256":"${sha256(text)}","at":"2026-03-05T00:00:00.000Z"}`;
      if (random.chance(0.5)) writeLines(bed.landing, [...lines, line]);
      return { file };
    },
  },
];
