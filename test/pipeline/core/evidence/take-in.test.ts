import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { computeSha256 } from "../../../../pipeline/base/home/durable.ts";
import { openLog } from "../../../../pipeline/core/evidence/log.ts";
import { takeIn } from "../../../../pipeline/core/evidence/take-in.ts";
import { temporaryFolder } from "../../../support/load.ts";

test("files of an older home are added in the order of reads, then by name, with the hash of their content", async () => {
  const { path: landing, remove } = temporaryFolder();
  const files = {
    "marks/m.json": "{}\n",
    "reads/a.json": '{\n "read_at": "2026-02-01 00:00:00"\n}\n',
    "reads/b.json": '{\n "read_at": "2026-01-01 00:00:00"\n}\n',
    "reads/b.places": "[]",
    "users/u.json.zst": "{}",
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(landing, dirname(name)), { recursive: true });
    const bytes = Buffer.from(content);
    writeFileSync(join(landing, name), name.endsWith(".zst") ? zstdCompressSync(bytes) : bytes);
  }
  try {
    const log = await openLog(landing, () => 0);
    takeIn(log);
    log.close();
    const lines = readFileSync(join(landing, "log/entries.ndjson"), "utf8").trimEnd().split("\n");
    const leaves = lines.map((line) => JSON.parse(line) as { path: string; sha256: string });
    expect(leaves.map(({ path }) => path)).toEqual([
      "reads/b.json",
      "reads/a.json",
      "marks/m.json",
      "users/u.json.zst",
    ]);
    for (const { path, sha256 } of leaves)
      expect(sha256).toBe(computeSha256(files[path as keyof typeof files]));
  } finally {
    remove();
  }
});
