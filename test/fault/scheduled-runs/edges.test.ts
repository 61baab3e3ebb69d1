import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { newRemote, type Remote } from "../../support/remote.ts";
import { fewOrAll } from "../length.ts";

// Services that interpret the ends of a range differently: nothing is final without the events that they have.

type Edges = "[)" | "[]" | "()";

const startMs = Date.UTC(2026, 2, 1);
const days = 3;
const dayMs = 86_400_000;
let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(startMs + (days + 1) * dayMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

/** Whole seconds of the days, the first of each day among them; some seconds have several records. */
function makeSeconds(seed: number): number[] {
  const random = newRandom(seed, "edges");
  return Array.from({ length: days }, (_, day) => {
    const more = Array.from({ length: random.int(1, 6) }, () => random.int(0, 86_399));
    return [0, ...more, ...more.filter(() => random.chance(0.2))].map(
      (second) => startMs / 1000 + day * 86_400 + second,
    );
  }).flat();
}

function answer(edges: Edges, seconds: readonly number[], request: IncomingMessage): object[] {
  const asked = new URL(request.url!, "http://x").searchParams;
  const [from, to] = [Number(asked.get("from")), Number(asked.get("to"))];
  const isAfter = (time: number): boolean => (edges === "()" ? time > from : time >= from);
  const isBefore = (time: number): boolean => (edges === "[]" ? time <= to : time < to);
  const records = seconds.map((time, i) => ({ time, id: `e${i}`, event_name: "job_kill" }));
  return records.filter(({ time }) => isAfter(time) && isBefore(time));
}

const cases = (["[)", "[]", "()"] as const).flatMap((edges) =>
  fewOrAll(
    [1],
    Array.from({ length: 20 }, (_, i) => i + 1),
  ).map((seed) => [edges, seed] as const),
);

test.each(cases)(
  "events at the edges of ranges in form %s are stored once, seed %i",
  async (edges, seed) => {
    const seconds = makeSeconds(seed);
    await remote.serve([]);
    remote.fault((request: IncomingMessage, response: ServerResponse) => {
      if (!request.url!.startsWith("/v4/audits")) return false;
      const audits = answer(edges, seconds, request);
      const body = { audits, next_page: null, total: audits.length };
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      return true;
    });
    for (const _ of [1, 2])
      await remote.ingest(["--from", "2026-03-01", "--to", "2026-03-04", "--confirm"]);
    const final = await remote.home.rows(
      "select epoch_ms(window_start)::bigint as from_ms, epoch_ms(window_end)::bigint as to_ms from ingest_windows where state = 'finalized'",
    );
    const held = await remote.home.rows(
      "select epoch_ms(event_time)::bigint as ms, count(*) as n from events group by all",
    );
    const missing = seconds.filter((second) => {
      const isFinal = final.some(
        (row) => second * 1000 >= Number(row["from_ms"]) && second * 1000 < Number(row["to_ms"]),
      );
      return isFinal && !held.some((row) => Number(row["ms"]) === second * 1000);
    });
    expect(missing).toEqual([]);
    if (edges !== "()") expect(final).toHaveLength(days);
  },
);
