import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newSince } from "../../../pipeline/page/last.ts";
import type { AuditRecord } from "../../../fixtures/record.ts";
import { newHome, type Outcome, type TestHome } from "../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote } from "../../support/remote.ts";

// What is new since the last page: each event on one page, however late after its moment it came in.
const start = Date.UTC(2026, 1, 9);

function denial(atMs: number): AuditRecord {
  const id = `d${atMs}`;
  const event_name = "user_signed_in";
  return { id, time: atMs / 1000, event_name, event_result: "denied", user_email: `${id}@x.io` };
}

async function makePage(home: TestHome, atMs: number, env = {}): Promise<Outcome> {
  return home.run(["page", "--out", join(home.folder, "pages")], { now: () => atMs, env });
}

async function newOn(home: TestHome, atMs: number, env = {}): Promise<string[]> {
  expect(await makePage(home, atMs, env)).toMatchObject({ code: 0 });
  const day = new Date(atMs).toISOString().slice(0, 10);
  const page = readFileSync(join(home.folder, "pages", `auditlake-${day}.html`), "utf8");
  const after = page.slice(page.indexOf("<h3>Which denials had not been seen before?</h3>"));
  const answer = after.slice(0, after.indexOf("auditlake report run"));
  return [...new Set([...answer.matchAll(/(d\d+)@x\.io/g)].map(([, id]) => id!))].toSorted();
}

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

it("counts from where the service had been read, source by source", async () => {
  await using remote = await newRemote(start + dayMs + 2 * hourMs, newHome());
  const { home, clock } = remote;
  const times = [0.5, 1.2, 1.9].map((days) => start + days * dayMs);
  await remote.serve(times.map((ms) => eventAt(ms, ms, denial(ms))));
  await remote.ingest();
  const morning = start + dayMs + 6 * hourMs;
  expect(await newOn(home, morning, remote.env())).toEqual([`d${times[0]}`]);
  clock.nowMs += dayMs;
  await remote.ingest();
  expect(await newOn(home, morning + dayMs, remote.env())).toEqual([
    `d${times[1]}`,
    `d${times[2]}`,
  ]);
});

it("leaves no event of any source out, and shows none twice where all move on", () => {
  const ends = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 50 }), {
    minKeys: 1,
  });
  fc.assert(
    fc.property(ends, ends, (before, now) => {
      const since = newSince(new Map(Object.entries(before)), new Map(Object.entries(now)));
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

it("says that a file is no folder, and leaves it as it is", async () => {
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

it("passes over pages that say nothing, tells so, and counts from the page before", async () => {
  using home = newHome();
  const times = [0.5, 1.5].map((days) => start + days * dayMs);
  await home.load([denial(times[0]!)]);
  await newOn(home, start + dayMs);
  const broken = [11, 12, 13].map((day) =>
    join(home.folder, "pages", `auditlake-2026-02-${day}.html`),
  );
  mkdirSync(broken[0]!);
  writeFileSync(broken[1]!, "<p>mine</p>");
  writeFileSync(broken[2]!, '<meta name="auditlake-until" content="20');
  await home.load([denial(times[1]!)]);
  const { err } = await makePage(home, start + 6 * dayMs);
  const told = broken.toReversed().map((path): unknown => expect.stringContaining(`${path} `));
  expect(err.match(/^warning: .*/gm)).toEqual(told);
  expect(err).not.toContain("mine");
  expect(await newOn(home, start + 6 * dayMs)).toEqual([`d${times[1]}`]);
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
