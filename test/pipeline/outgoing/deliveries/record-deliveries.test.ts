import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DeliveryError } from "../../../../pipeline/outgoing/targets/error.ts";
import {
  recordDeliveries,
  type DeliveryEnd,
  type Frame,
} from "../../../../pipeline/outgoing/deliveries/record-deliveries.ts";
import { listLastDeliveries } from "../../../../pipeline/core/store/delivery-runs.ts";
import { AuditlakeError, exitCode } from "../../../../pipeline/base/errors.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

let home: TestHome;
beforeEach(() => {
  home = newHome();
  mkdirSync(home.home, { mode: 0o700 });
});
afterEach(() => home[Symbol.dispose]());

const frame = { verb: "export", name: "denials", target: "lake", connector: "file" } as const;
const came = (change: Partial<DeliveryEnd> = {}): DeliveryEnd => ({
  delivery: "d1",
  outcome: "delivered",
  rows: 3,
  accepted: 3,
  refused: 0,
  uncertain: 0,
  more: { refused_rows: [] },
  ...change,
});
const startMs = Date.parse("2026-01-02T06:00:00Z");

/** What the command threw, and the runs of its summary. */
async function run(
  all: readonly DeliveryEnd[],
  fault?: Error,
  change: Partial<Frame> = {},
  signal?: AbortSignal,
) {
  const settings = { home: resolveHome(home.home) } as Settings;
  let nowMs = startMs;
  const world = testWorld({ now: () => nowMs, ...(signal && { signal }) });
  const summary = join(home.folder, "made", "summary.json");
  const asked = { ...frame, dueMs: undefined, summary, ...change };
  const thrown = await recordDeliveries(asked, settings, world, async (onEnded) => {
    for (const each of all) {
      nowMs += 60_000;
      await Promise.resolve();
      onEnded(each);
    }
    nowMs += 1000;
    if (fault !== undefined) throw fault;
  }).catch((error: Error) => error.message);
  const text = asked.summary === "-" ? world.out() : readFileSync(summary, "utf8");
  return { thrown, runs: (JSON.parse(text) as { runs: Record<string, unknown>[] }).runs };
}

const last = () => listLastDeliveries(resolveHome(home.home));

it("each delivery is recorded with its outcome, one after the other, and in the summary", async () => {
  const partial = came({
    outcome: "partial",
    accepted: 1,
    refused: 1,
    uncertain: 1,
    more: { a: 1 },
  });
  const { thrown, runs } = await run([came(), partial], undefined, { dueMs: startMs });
  expect(thrown).toBeUndefined();
  expect(runs).toMatchObject([
    {
      ...frame,
      delivery: "d1",
      due_at: "2026-01-02T06:00:00.000Z",
      started_at: "2026-01-02T06:00:00.000Z",
      finished_at: "2026-01-02T06:01:00.000Z",
      outcome: "delivered",
      exit_code: 0,
      refused_rows: [],
    },
    {
      started_at: "2026-01-02T06:01:00.000Z",
      exit_code: 6,
      rows_read: 3,
      accepted: 1,
      refused: 1,
      doubtful: 1,
      a: 1,
    },
  ]);
  expect(last()).toMatchObject([{ outcome: "partial", finished_at: "2026-01-02T06:02:00.000Z" }]);
});

const progress = { target: "lake", accepted: 2, uncertain: 1, missing: 4 };

it.each<[what: string, all: DeliveryEnd[], fault: Error, run: object, thrown: RegExp]>([
  [
    "by an error",
    [],
    new AuditlakeError("no room"),
    { outcome: "failed", exit_code: 1, rows_read: 0, delivery: null, due_at: null },
    /^no room$/,
  ],
  [
    "by an unexpected error",
    [],
    new Error("odd"),
    { outcome: "failed", exit_code: 1, error: "odd" },
    /^odd$/,
  ],
  [
    "half way",
    [],
    new DeliveryError(progress, "gone"),
    { outcome: "failed", exit_code: 6, rows_read: 7, accepted: 2, doubtful: 1, refused: 0 },
    /gone/,
  ],
  [
    "by its guard",
    [],
    new AuditlakeError("too much", exitCode.findings),
    { outcome: "stopped", exit_code: 3 },
    /^too much$/,
  ],
  [
    "behind others",
    [came(), came({ accepted: 1, refused: 2, uncertain: 3 })],
    new AuditlakeError("no room"),
    {
      outcome: "failed",
      started_at: "2026-01-02T06:02:00.000Z",
      finished_at: "2026-01-02T06:02:01.000Z",
    },
    /^no room; before that, a delivery ended: 3 rows delivered in all; 1 row delivered in all, 2 refused, 3 uncertain$/,
  ],
])(
  "a run that is ended %s is recorded, and its error thrown",
  async (_, all, fault, expected, thrown) => {
    const found = await run(all, fault);
    expect(found.thrown).toMatch(thrown);
    expect(found.runs).toHaveLength(all.length + 1);
    expect(found.runs.at(-1)).toMatchObject(expected);
    expect(last()).toMatchObject([expected]);
  },
);

it("a run that Ctrl-C ended is recorded as interrupted", async () => {
  const { runs } = await run(
    [],
    new AuditlakeError("interrupted", exitCode.interrupted),
    {},
    AbortSignal.abort(),
  );
  expect(runs).toMatchObject([{ outcome: "interrupted", exit_code: 130 }]);
});

it("a run that finds the lock held is not recorded, except for what was delivered before", async () => {
  const locked = new AuditlakeError("held", exitCode.locked);
  await expect(run([], locked)).rejects.toThrow(/ENOENT/);
  expect(last()).toEqual([]);
  expect((await run([came()], locked)).runs).toHaveLength(1);
});

it("a summary is written to standard output, and none into a folder", async () => {
  expect((await run([came()], undefined, { summary: "-" })).runs).toHaveLength(1);
  const settings = { home: resolveHome(home.home) } as Settings;
  const ask = (summary: string) =>
    recordDeliveries({ ...frame, dueMs: undefined, summary }, settings, testWorld(), () =>
      Promise.resolve(),
    );
  await expect(ask(home.folder)).rejects.toThrow(/^--summary .* is a folder, expected a file$/);
  const file = home.write("file", "");
  await expect(ask(join(file, "below"))).rejects.toThrow(
    /^--summary .*: its folder cannot be created: /,
  );
});

it("the last run of each name, verb and target is found, in order, with any truncated line", async () => {
  await run([came()], undefined, { name: "b" });
  await run([came()], undefined, { name: "a" });
  await run([came({ delivery: "d2" })], undefined, { name: "b" });
  await run([came()], undefined, { name: "a", verb: "activate" });
  appendFileSync(join(home.home, "deliveries", "runs.ndjson"), '{"verb":\n');
  expect(last().map(({ verb, name, delivery }) => `${verb} ${name} ${delivery}`)).toEqual([
    "activate a d1",
    "export a d1",
    "export b d2",
  ]);
});
