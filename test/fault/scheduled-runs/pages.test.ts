import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newHome } from "../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote } from "../../support/remote.ts";
import { denial, makePage, newOn } from "../../pipeline/adapters/page/made.ts";

// What is new since the last page: each event on one page, however late after its moment it came in.
const start = Date.UTC(2026, 1, 9);

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

it("skips empty pages, reports them, and counts from the page before", async () => {
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
