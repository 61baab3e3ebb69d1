import { expect, it } from "vitest";
import { newHome } from "../../support/home.ts";
import { dayMs, eventAt, hourMs, newRemote } from "../../support/remote.ts";
import { denial, newOn } from "./made.ts";

const start = Date.UTC(2026, 1, 9, 2);
const minuteMs = 60_000;

it("calls new what a read brought late, and what the service's clock had not come to, but no claim of another time", async () => {
  await using remote = await newRemote(start, newHome());
  const { home, clock } = remote;
  // The service's clock is 25 minutes behind the one of this machine.
  const now = (): number => clock.nowMs - 25 * minuteMs;
  const known = start - 5 * hourMs;
  const late = start - 40 * minuteMs;
  const behind = start - 20 * minuteMs;
  const later = start + hourMs;
  const events = [known, behind, later].map((ms) => eventAt(ms, ms, denial(ms)));
  const shownLate = eventAt(late, start, denial(late));
  await remote.serve([...events, shownLate], { now });
  await remote.ingest();
  expect(await newOn(home, start + 2 * hourMs, remote.env())).toEqual([`d${known}`]);
  // A record of forty days ago stands among those of today.
  const claimed = eventAt(start - hourMs, start, denial(start - 40 * dayMs));
  await remote.serve([...events, shownLate, claimed], { now });
  clock.nowMs += dayMs;
  await remote.ingest();
  expect(await newOn(home, start + dayMs + 2 * hourMs, remote.env())).toEqual(
    [late, behind, later].map((ms) => `d${ms}`),
  );
});
