import { describe, expect, it } from "vitest";
import { newHome } from "../../support/home.ts";
// Where every value ends: in a typed column, `extra`, or the quarantine, and never nowhere.

const time = 1767225600;
describe("large records", () => {
  it("of many megabytes are stored beside unreadable ones", async () => {
    using home = newHome();
    const big = (name: string, at: unknown): object => ({
      time: at,
      event_name: name,
      query_text: "x,{}".repeat(3_500_000),
    });
    const { code, err } = await home.load([
      big("one", time),
      big("two", "never"),
      { time, event_name: "three" },
    ]);
    expect([code, err]).toEqual([6, expect.stringContaining("2 new, 0 duplicates, 1 quarantined")]);
    expect(await home.count("select length(record_text) from quarantine")).toBeGreaterThan(14e6);
    expect(await home.count("select max(length(query_text)) from events")).toBe(14e6);
  });
});
