import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listFiles, removeKept } from "../../../../pipeline/outgoing/deliveries/delivery.ts";
import {
  describeDelivered,
  findEarlier,
  forgetStarted,
  readStarted,
  removeUnneeded,
  resumeText,
  writeStarted,
  type StartedExport,
} from "../../../../pipeline/outgoing/exports/record.ts";
import { buildKey, type ExportOrder } from "../../../../pipeline/outgoing/exports/with-rows.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

let home: TestHome;
let outbox: string;
beforeEach(() => {
  home = newHome();
  outbox = join(home.folder, "outbox");
  mkdirSync(outbox);
});
afterEach(() => home[Symbol.dispose]());

const dueMs = Date.parse("2026-01-02T06:00:00Z");
const started: StartedExport = { deliveryId: "d1", nowMs: dueMs, isEnded: false, rows: 3, dueMs };
const done = { ...started, isEnded: true, isDone: true };
const order = {
  report: { name: "denials", family: "own" },
  given: new Map(),
  to: "lake",
} as unknown as ExportOrder;

it.each<
  [
    what: string,
    kept: StartedExport | undefined,
    change: Partial<ExportOrder>,
    found: boolean | RegExp,
  ]
>([
  ["none is on record", undefined, {}, false],
  ["one broke off", started, {}, true],
  ["one broke off, and another is wanted", started, { isNew: true }, false],
  ["that of the same due time is done", done, { dueMs }, true],
  ["that of another due time is done", done, { dueMs: dueMs + 1 }, false],
  ["one that was due is done, and this is by hand", done, {}, false],
  ["one without a due time is done", { ...done, dueMs: undefined }, {}, false],
  [
    "none can have refused rows",
    undefined,
    { retryRefused: true },
    /^nothing is refused: no delivery of denials to lake /,
  ],
  ["none can have uncertain rows", undefined, { resendUncertain: true }, /^nothing is uncertain: /],
  ["all of it went out", done, { dueMs, retryRefused: true }, /^nothing is refused: /],
  ["one ended in part", { ...started, isEnded: true }, { retryRefused: true }, true],
])("if %s, an order resumes it or does not", async (_, kept, change, found) => {
  const asked = { ...order, ...change };
  if (kept !== undefined) await writeStarted(outbox, buildKey(asked), kept);
  const earlier = (): StartedExport | undefined => findEarlier(outbox, asked);
  if (typeof found === "boolean")
    expect(earlier()).toEqual(
      found ? { keptAs: undefined, isDone: undefined, ...kept } : undefined,
    );
  else expect(earlier).toThrow(found);
});

it("a resumed export reports what was delivered before, and what is resumed", () => {
  expect(describeDelivered(done, "lake")).toEqual({
    target: "lake",
    delivery: "d1",
    accepted: 3,
    refused: 0,
    outcome: "delivered",
    notes: [
      "nothing more is sent: the delivery scheduled for 2026-01-02T06:00:00.000Z is complete; --new starts another",
    ],
  });
  const left = { accepted: 1, open: 0, refused: 2, uncertain: 0 };
  const ended = { ...started, isEnded: true };
  expect(resumeText(ended, left)).toBe(
    "resumes the delivery started 2026-01-02T06:00:00.000Z, which is incomplete: 2 rows refused",
  );
  for (const [of, what] of [
    [started, left],
    [ended, undefined],
  ] as const)
    expect(resumeText(of, what)).toMatch(
      /, which was interrupted; --new starts another and resends the rows that were sent$/,
    );
});

it("the files of a resumable delivery are required, and all others deleted", async () => {
  await writeStarted(outbox, "a", { ...started, keptAs: "d1.a" });
  await writeStarted(outbox, "b", { ...done, deliveryId: "d2", keptAs: "d2.b" });
  await writeStarted(outbox, "c", { ...started, deliveryId: "d3" });
  const files = ["d1.a", "d2.b", "d3", "d4"].flatMap((name) =>
    Object.values(listFiles(outbox, name)),
  );
  for (const file of [...files, join(outbox, "note.txt")])
    home.write(file.slice(home.folder.length), "x");
  await removeUnneeded(outbox);
  expect(files.map((file) => existsSync(file))).toEqual([
    true,
    true,
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
  expect(existsSync(join(outbox, "note.txt"))).toBe(true);
  await forgetStarted(outbox, "a");
  expect(readStarted(outbox, "a")).toBeUndefined();
  home.write("outbox/begun-c.json", "{");
  expect(() => readStarted(outbox, "c")).toThrow(
    /begun-c\.json is damaged, .*; use --new to start another$/,
  );
  await removeKept(join(home.folder, "nowhere"));
});
