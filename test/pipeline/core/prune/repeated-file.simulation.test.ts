import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homeWithWarehouse } from "../../../support/home.ts";

const now = (): number => Date.UTC(2026, 10, 1);
const line = (day: number): string =>
  JSON.stringify({ time: Date.UTC(2026, 2, day) / 1000, event_name: "sign_in", user_id: day });

it("a file that repeats other reads is deleted when its records are old, and reported when only some are", async () => {
  using home = await homeWithWarehouse();
  const run = (...argv: string[]) => home.run(argv, { now });
  for (const [name, days] of [
    ["first", [1, 2, 9]],
    ["repeats", [2, 1]],
    ["straddles", [9, 1]],
  ] as const)
    await run("import", home.write(`${name}.ndjson`, `${days.map(line).join("\n")}\n`));
  const reads = (): number => readdirSync(join(home.home, "landing/reads")).length;
  const prune = async (before: string): Promise<string> =>
    (await run("prune", "--before", before, "--events", "--yes")).err;
  const first = await prune("2026-03-05");
  expect(first).toMatch(/reads +1 of 3\n/);
  expect(first).toContain("2 retained reads with events on both sides");
  expect(reads()).toBe(2);
  await run("import", home.write("timeless.ndjson", `${line(9)}\n{"event_name":"sign_in"}\n`));
  const second = await prune("2026-04-01");
  expect(second).toMatch(/reads +2 of 3\n/);
  expect(second).toContain("1 retained read with events on both sides");
  expect([reads(), await home.count("select count(*) from events")]).toEqual([1, 0]);
});

it("a file that another source has, too, stays for that one, and is reported", async () => {
  using home = await homeWithWarehouse();
  const file = home.write("both.ndjson", `${line(1)}\n`);
  for (const source of ["a", "b"]) await home.run(["import", "--source", source, file], { now });
  const prune = async (...argv: string[]): Promise<string> => {
    const all = ["prune", "--before", "2026-03-05", ...argv];
    return (await home.run(all, { now })).out;
  };
  const one = await prune("--source", "a", "--dry-run");
  expect(one).toMatch(/^ {2}pages +0 files/m);
  expect(one).toContain("1 file of pages shared with retained reads: not removed.");
  const all = await prune("--dry-run");
  expect(all).toMatch(/^ {2}pages +1 file,/m);
  expect(all).not.toContain("shared");
});
