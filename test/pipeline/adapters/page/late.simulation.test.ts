import { expect, it } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { newHome } from "../../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote } from "../../../support/remote.ts";
import { denial, newOn } from "./made.ts";

// What a read of the service brings after a page is on the next one. It may have been shown late, or come of a window
// that had failed. Or it happened while the service's clock was behind the one of this machine.
const start = Date.UTC(2026, 1, 9, 2);
const seed = Number(process.env["PAGE_SEED"] ?? 1);
const random = newRandom(seed, "late denials");

it.each([0, -25])(
  "shows each event on the first page after it came in, with the service's clock %i minutes off",
  { timeout: 120_000 },
  async (minutesOff) => {
    await using remote = await newRemote(start, newHome());
    const { home, clock } = remote;
    // Many happen around a read; some are shown up to a day and a half later.
    const events = Array.from({ length: 60 }, (_, i) => {
      const atMs = start + random.int(-1, 3) * dayMs + random.int(-60, 60) * 60_000 + i * 1000;
      return eventAt(atMs, atMs + (i % 3 === 0 ? random.int(0, 36) * hourMs : 0), denial(atMs));
    });
    await remote.serve(events, { now: () => clock.nowMs + minutesOff * 60_000 });
    const shown = new Set<string>();
    const pageMs = (night: number): number => start + night * dayMs + 4 * hourMs;
    for (const night of [0, 1, 2, 3]) {
      clock.nowMs = start + night * dayMs;
      // One night nothing can be read; the next one makes up for it.
      remote.fault((_, response) => night === 2 && response.writeHead(404).end() !== undefined);
      expect((await remote.ingest(["--quiet"])).code).toBe(night === 2 ? 1 : 0);
      for (const id of await newOn(home, pageMs(night), remote.env())) shown.add(id);
      const ids = (await home.rows("select id from events")).map(({ id }) => String(id));
      // The first page begins a day before it, and none shows what is to come.
      const [from, until] = [pageMs(0) - dayMs, pageMs(night)].map((ms) => `d${ms}`);
      expect(ids.filter((id) => id >= from! && id < until! && !shown.has(id))).toEqual([]);
    }
  },
);

it("calls new what a read brought late, and what the service's clock had not come to, but no claim of another time", async () => {
  await using remote = await newRemote(start, newHome());
  const { home, clock } = remote;
  // The service's clock is 25 minutes behind the one of this machine.
  const now = (): number => clock.nowMs - 25 * 60_000;
  const known = start - 5 * hourMs;
  const late = start - 40 * 60_000;
  const behind = start - 20 * 60_000;
  const later = start + hourMs;
  const events = [known, behind, later].map((ms) => eventAt(ms, ms, denial(ms)));
  const shownLate = eventAt(late, start, denial(late));
  await remote.serve([...events, shownLate], { now });
  await remote.ingest();
  expect(await newOn(home, start + 2 * hourMs, remote.env())).toEqual([`d${known}`]);
  // A record of forty days ago is among those of today.
  const claimed = eventAt(start - hourMs, start, denial(start - 40 * dayMs));
  await remote.serve([...events, shownLate, claimed], { now });
  clock.nowMs += dayMs;
  await remote.ingest();
  expect(await newOn(home, start + dayMs + 2 * hourMs, remote.env())).toEqual(
    [late, behind, later].map((ms) => `d${ms}`),
  );
});
