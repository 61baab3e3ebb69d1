import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { countNewSince } from "../../../../pipeline/adapters/page/health.ts";
import { newHome } from "../../../support/home.ts";
import { dayMs, hourMs } from "../../../support/remote.ts";
import { denial, newOn } from "./made.ts";

// What is new since the last page: each event on one page, however late after its moment it came in.
const start = Date.UTC(2026, 1, 9);

it("shows what happened between the last load and the last page", async () => {
  using home = newHome();
  const morning = (day: number): number => start + day * dayMs + 6 * hourMs;
  // Loaded at two in the night; the page of that day is made at six.
  const times = [0.5, 1.05, 1.2, 1.9].map((days) => start + days * dayMs);
  await home.load(times.slice(0, 2).map(denial));
  expect(await newOn(home, morning(1))).toEqual([`d${times[0]}`, `d${times[1]}`]);
  await home.load(times.slice(2).map(denial));
  expect(await newOn(home, morning(2))).toEqual([`d${times[2]}`, `d${times[3]}`]);
});

it("leaves no event of any source out, and shows none twice where all move on", () => {
  const ends = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 50 }), {
    minKeys: 1,
  });
  const arrived = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 2 });
  fc.assert(
    fc.property(ends, ends, arrived, (before, now, late) => {
      const earlier = new Map(Object.entries(before));
      const since = countNewSince(earlier, new Map(Object.entries(now)), []);
      expect(countNewSince(earlier, new Map(Object.entries(now)), late)).toBe(
        Math.min(since, ...late),
      );
      for (const [source, end] of Object.entries(now)) {
        const known = before[source];
        if (known !== undefined && end > known) expect(since).toBeLessThanOrEqual(known);
      }
      expect(Object.values(before)).toContain(since);
      const moved = Object.keys(before).filter((source) => (now[source] ?? 0) > before[source]!);
      for (const [source, known] of Object.entries(before))
        if (known < since) expect(moved).not.toContain(source);
    }),
  );
});

it("says that a file is no folder, and leaves it unchanged", async () => {
  using home = newHome();
  await home.load([denial(start)]);
  const file = home.write("pages", "mine");
  for (const out of [file, join(file, "below")]) {
    const { code, err } = await home.run(["page", "--out", out]);
    expect([code, err]).toEqual([
      2,
      `error: ${out} is no folder; --out expects the folder of the pages\n`,
    ]);
  }
  expect(readFileSync(file, "utf8")).toBe("mine");
});

it.skipIf(process.getuid?.() === 0)("says which folder cannot be read", async () => {
  using home = newHome();
  await home.load([denial(start)]);
  const out = join(home.folder, "pages");
  mkdirSync(out, { mode: 0o300 });
  const { code, err } = await home.run(["page", "--out", out]);
  chmodSync(out, 0o700);
  expect([code, err]).toEqual([2, expect.stringContaining(`cannot read ${out}`)]);
});
