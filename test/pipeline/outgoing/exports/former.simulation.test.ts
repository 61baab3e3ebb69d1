import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newHooked } from "../../cli/export/hooked.ts";

const toHook = ["rows", "--to", "hook"];
const due = (day: number): string[] => ["--due", `2026-11-0${day}T06:00:00Z`];

type Summary = { readonly runs: readonly Readonly<Record<string, unknown>>[] };

/** A delivery of three rows that broke off behind the first; since then the report gives another one. */
async function brokenOff() {
  const setting = await newHooked("b", "c", "d");
  setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
  expect((await setting.run([...toHook, ...due(1)])).code).toBe(6);
  setting.receiver.fault(undefined);
  setting.give("e");
  const path = join(setting.home.folder, "summary.json");
  const next = () => setting.run([...toHook, ...due(2), "--summary", path]);
  const summary = () => (JSON.parse(readFileSync(path, "utf8")) as Summary).runs;
  const runs = () =>
    setting.home.rows(
      "select outcome, exit_code, rows_read, accepted, refused from delivery_runs order by started_at, finished_at",
    );
  return { ...setting, next, summary, runs };
}

const came = (outcome: string, exit_code: number, ...counts: number[]) => {
  const [rows_read, accepted, refused] = counts.map(String);
  return { outcome, exit_code, rows_read, accepted, refused };
};
const first = came("failed", 6, 3, 1, 0);

it("a previous delivery that is resumed before another starts is a run, without remaining rows if complete", async () => {
  const { next, runs, summary } = await brokenOff();
  const { code, err } = await next();
  expect(code).toBe(0);
  expect(err).toMatch(/rows to hook: 3 rows delivered\n(?:.*\n)*rows to hook: 1 row delivered\n$/);
  expect(err).not.toContain("unsent rows of the one started");
  expect(await runs()).toEqual([
    first,
    came("delivered", 0, 3, 3, 0),
    came("delivered", 0, 1, 1, 0),
  ]);
  expect(summary()).toMatchObject([{ accepted: 3 }, { accepted: 1 }]);
});

it("refused rows of a resumed delivery are reported as remaining, and the command ends partially", async () => {
  const { next, runs, receiver } = await brokenOff();
  receiver.fault(({ body }) => (body.includes('"d"') ? { status: 422 } : undefined));
  const { code, err } = await next();
  expect(code).toBe(6);
  expect(err).toMatch(/a new delivery starts; unsent rows of the one started \S+: 1 row refused\n/);
  expect(receiver.rows()).toEqual(["b", "c", "e"].map((name) => ({ name })));
  expect(await runs()).toEqual([first, came("partial", 6, 3, 2, 1), came("delivered", 0, 1, 1, 0)]);
});

it("if the new delivery fails, the error and the records have what was sent of it", async () => {
  const { next, runs, summary, home } = await brokenOff();
  home.write("queries/rows.sql", "-- title: Rows\n-- grain: one row\nselect name from nowhere\n");
  const { code, err } = await next();
  expect(code).toBe(1);
  const failure = /nowhere.*; before that, a delivery ended: 3 rows delivered in all/s;
  expect(err).toMatch(failure);
  expect(await runs()).toEqual([first, came("delivered", 0, 3, 3, 0), came("failed", 1, 0, 0, 0)]);
  expect(summary()).toMatchObject([{ error: null }, { error: expect.stringMatching(failure) }]);
});
