import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { layOut } from "../../../fault/power/cut.ts";
import { record } from "../../../fault/power/record.ts";
import { newReplay } from "../../../fault/power/replay.ts";
import { writeFault } from "../../../../pipeline/base/home/durable.ts";
import { projectPath } from "../../../docs/pages.ts";
import { temporaryFolder } from "../../../support/load.ts";

test.each([
  ["ENOSPC", "free space"],
  ["EACCES", "correct the permissions"],
  ["EROFS", "mount its file system read-write"],
  ["EIO", "free space or correct the permissions"],
])("a file that cannot be written (%s) is reported with what to fix", (code, advice) => {
  const { message } = writeFault("/a/b", Object.assign(new Error("no"), { code }));
  expect(message).toBe(`cannot write /a/b: no; ${advice}, then run again`);
});

// Code that writes a file, or makes its folder, and is durable only by its syncs. Each case uses a separate folder,
// `top`; `mkdirSync` represents a run that was killed before it had synced anything.
const writers: readonly (readonly [what: string, program: string, path: string])[] = [
  ["a file that is written durably", `await writeDurably(top + "/f", text)`, "f"],
  ["a file written durably into new folders", `await writeDurably(top + "/a/b/f", text)`, "a/b/f"],
  [
    "a file in a synced folder, created by any process",
    `mkdirSync(top + "/a/b", { recursive: true }); await makeSecureFolder(top + "/a/b", top); await writeDurably(top + "/a/b/f", text)`,
    "a/b/f",
  ],
  [
    "a file in a new home",
    `await createHome(resolveHome(top + "/a/home"), () => {}); await writeDurably(top + "/a/home/f", text)`,
    "a/home/f",
  ],
  [
    "a file in a home that a killed run has made",
    `mkdirSync(top + "/a/home", { recursive: true, mode: 0o700 }); await createHome(resolveHome(top + "/a/home"), () => {}); await writeDurably(top + "/a/home/f", text)`,
    "a/home/f",
  ],
  [
    "a landed page in folders that a killed run has made",
    `mkdirSync(top + "/pages/11", { recursive: true }); await using pack = newPack(top, { note: async () => {} }); await pack.add(text, "json"); await pack.end()`,
    "pages/11/11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437.zst",
  ],
  [
    "a report in a new folder",
    `await createFolder(top + "/a/b"); await replaceFile(top + "/a/b/f", ({ sink }) => sink("new"))`,
    "a/b/f",
  ],
  [
    "a file delivered into a new folder",
    `await using draft = await newDraft(top + "/a/b", "f", true); writeFileSync(await draft.path("date=1"), text); await draft.commit()`,
    "a/b/date=1/f",
  ],
  [
    "the record of a delivery to a target",
    `await withTarget(resolveHome(top), "crm", "export", { now: () => 0 }, (outbox) => writeDurably(outbox + "/f", text))`,
    "outbox/crm/f",
  ],
  [
    "the record of an export that was started",
    `await writeStarted(top, "k", { deliveryId: "d", nowMs: 0, isEnded: false })`,
    "begun-k.json",
  ],
  [
    "the record of a first run",
    `await recordDelivery(resolveHome(top), {})`,
    "deliveries/runs.ndjson",
  ],
  [
    "the note of a page that is to come",
    `await newJournal(top, "r").note("0".repeat(64))`,
    "begun/r",
  ],
  [
    "what a home has put into the lake",
    `await createHome(resolveHome(top + "/h"), () => {}); await makeFolder(getLakeFolder(resolveHome(top + "/h"))); await recordFiles(resolveHome(top + "/h"), [{}])`,
    "h/lake/files.ndjson",
  ],
  [
    "the rows of a delivery",
    `await keepRows({ columns: [], batches: (async function* () { yield []; })() }, top + "/f")`,
    "f",
  ],
  ["a file of a lake in a folder", `await newFolderStore(top).put("a/f", text)`, "a/f"],
  ["a name taken in a lake", `await newFolderStore(top).putIfAbsent("a/f", text)`, "a/f"],
];

const program = `
import { mkdirSync, writeFileSync } from "node:fs";
const { durable, home, pack: packs, write, draft: drafts, delivery, started, journal, runs, lake, rows, folder } = JSON.parse(process.argv[2]);
const { makeFolder, makeSecureFolder, writeDurably } = await import(durable);
const { createHome, resolveHome } = await import(home);
const { newPack } = await import(packs);
const { createFolder, replaceFile } = await import(write);
const { newDraft } = await import(drafts);
const { withTarget } = await import(delivery);
const { forgetStarted, writeStarted } = await import(started);
const { newJournal } = await import(journal);
const { recordDelivery } = await import(runs);
const { getLakeFolder, recordFiles } = await import(lake);
const { keepRows } = await import(rows);
const { newFolderStore } = await import(folder);
const text = Buffer.from("new");
`;

describe("after a power cut that leaves only synced data", () => {
  const folder = temporaryFolder();
  const disk = join(folder.path, "disk");
  const left = join(folder.path, "left");
  beforeAll(async () => {
    mkdirSync(disk);
    const modules = {
      durable: "pipeline/base/home/durable.ts",
      home: "pipeline/base/home/layout.ts",
      pack: "pipeline/core/landing/pack.ts",
      write: "pipeline/answers/report/write.ts",
      draft: "pipeline/adapters/destinations/file/draft.ts",
      delivery: "pipeline/outgoing/deliveries/target.ts",
      started: "pipeline/outgoing/exports/record.ts",
      journal: "pipeline/core/landing/journal.ts",
      runs: "pipeline/core/store/delivery-runs.ts",
      lake: "pipeline/adapters/lake/home.ts",
      rows: "pipeline/outgoing/deliveries/stored-rows.ts",
      folder: "pipeline/adapters/lake/store.ts",
    };
    const paths = Object.fromEntries(
      Object.entries(modules).map(([name, path]) => [name, projectPath(path)]),
    );
    const parts = writers.map(([, body], i) => inFolder(String(i), body));
    const forgotten = inFolder(
      "forgotten",
      `await writeStarted(top, "k", { deliveryId: "d", nowMs: 0, isEnded: false }); await forgetStarted(top, "k")`,
    );
    const text = [program, ...parts, forgotten].join("\n");
    const argv = ["--input-type=module", "-e", text, disk, JSON.stringify(paths)];
    const { moments } = await record(argv, {}, disk);
    const replay = newReplay(disk);
    for (const moment of moments) replay.take(moment);
    layOut(replay.root, left, "all", newRandom(1, "durable"));
  });
  afterAll(() => folder.remove());

  test.each(writers.map(([what, , path], i) => [what, join(String(i), path)] as const))(
    "%s exists",
    (_what, path) => {
      expect(existsSync(join(left, path))).toBe(true);
      expect(readFileSync(join(left, path))).toEqual(readFileSync(join(disk, path)));
    },
  );

  test("a forgotten export stays forgotten", () => {
    expect(existsSync(join(left, "forgotten"))).toBe(true);
    expect(existsSync(join(left, "forgotten/begun-k.json"))).toBe(false);
  });
});

// The folder itself is there, as a user's own folder is.
function inFolder(name: string, body: string): string {
  return `{ const top = process.argv[1] + "/${name}"; mkdirSync(top, { mode: 0o700 }); await makeSecureFolder(top, process.argv[1]); ${body}; }`;
}
