import { formatLine } from "../../../../pipeline/base/notice/printer.ts";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type MovedFile, replaceWarehouse } from "../../../../pipeline/core/rebuild/restore.ts";
import { temporaryFolder } from "../../../support/load.ts";

// What happens to the database that is replaced, and to the log beside it.

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.remove());

/** Replaces what is there; each file that is left and what is in it, and what was said. */
async function replace(there: readonly string[], kept?: MovedFile["as"], replacement?: string) {
  const warehouse = join(folder.path, "w");
  for (const name of there) writeFileSync(join(folder.path, name), `old ${name}`);
  const draft = replacement === undefined ? undefined : join(folder.path, "draft");
  if (draft !== undefined) writeFileSync(draft, replacement!);
  const said: string[] = [];
  await replaceWarehouse(warehouse, draft, kept ? [{ path: warehouse, as: kept }] : [], {
    nowMs: 0,
    print: (line) => void said.push(formatLine(line).replaceAll(folder.path, "")),
  });
  const files = readdirSync(folder.path).map((name) => [
    name,
    readFileSync(join(folder.path, name), "utf8"),
  ]);
  return { files: Object.fromEntries(files) as Record<string, string>, said };
}

const stamp = "19700101T000000Z";
const log = { [`w.wal.corrupt-${stamp}`]: "old w.wal" };

it("a complete database is replaced with its log, of which nothing was committed", async () => {
  const gone = { files: { w: "new" }, said: [] };
  expect(await replace(["w", "w.wal"], undefined, "new")).toEqual(gone);
  expect(await replace(["w"], undefined, "new")).toEqual(gone);
  expect(await replace([], undefined, "new")).toEqual(gone);
});

it("a database of version 1 is retained without its log, and its removal command is printed", async () => {
  expect(await replace(["w", "w.wal"], "version-1", "new")).toEqual({
    files: { w: "new", [`w.version-1-${stamp}`]: "old w" },
    said: [
      expect.stringMatching(/^the old database was retained as .*prune --old-store removes it$/),
    ],
  });
});

it("a damaged database is retained with its log, with a new one or nothing in its place", async () => {
  const aside = { [`w.damaged-${stamp}`]: "old w" };
  const said = [
    expect.stringMatching(/^warning: \/w\.wal belongs to the database that is replaced; it was /),
    expect.stringMatching(/^warning: the damaged database was moved to \/w\.damaged-/),
  ];
  expect(await replace(["w", "w.wal"], "damaged", "new")).toEqual({
    files: { w: "new", ...aside, ...log },
    said,
  });
  folder.remove();
  folder = temporaryFolder();
  expect(await replace(["w", "w.wal"], "damaged")).toEqual({ files: { ...aside, ...log }, said });
});

it("a log without its database is retained", async () => {
  const { files, said } = await replace(["w.wal"], undefined, "new");
  expect([files, said.length]).toEqual([{ w: "new", ...log }, 1]);
});
