import { expect, it } from "vitest";
import { describeHopeless, type Run } from "../../../../pipeline/core/ingest/loading.ts";
import { UnexpectedStatus } from "../../../../pipeline/core/source/faults.ts";

it("a run ends after three equal refusals before any read", () => {
  const refused = new UnexpectedStatus("answered 400");
  const windows = (messages: readonly string[], read = 0, left = 1): Run =>
    ({
      failures: messages.map((message, i) => ({ window: { startMs: i, endMs: i + 1 }, message })),
      run: { windows: read },
      fetches: {
        left: () => Array.from({ length: left }, (_, i) => ({ startMs: i, endMs: i + 1 })),
      },
    }) as unknown as Run;
  const three = ["no 2026-03-01", "no 2026-03-02", "no 2026-04-03"];
  expect(describeHopeless(refused, windows(three))?.message).toBe(
    "answered 400; 3 windows were refused in the same way, so the rest was not requested",
  );
  expect(describeHopeless(new Error("x"), windows(three))).toBeUndefined();
  for (const others of [
    windows(three.slice(1)),
    windows([...three, "something else"]),
    windows(three, 1),
    windows(three, 0, 0),
  ])
    expect(describeHopeless(refused, others)).toBeUndefined();
});
