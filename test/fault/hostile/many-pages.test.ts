import { describe, expect, it } from "vitest";
import { answer, failure, type Script } from "../../pipeline/core/source/raw-service.ts";
import { newPaged, queries, read } from "../../pipeline/core/source/window-reader.ts";

describe("a repeating page loop", () => {
  it.each([
    ["one page", 1, 4],
    ["three pages", 3, 7],
  ])("of %s under new cursors each time is detected soon", async (_, length, requests) => {
    let asked = 0;
    const script: Script = (socket, head) => {
      const page = Array.from({ length: 2 }, (_, i) => ({ time: (asked % length) * 10 + i }));
      answer(JSON.stringify({ next: `c${(asked += 1)}`, audits: page }))(socket, head);
    };
    const cursor = newPaged("cursor", { param: "after", next_at: "next" });
    const error = await failure(read(cursor, [script]));
    expect(error.message).toMatch(/sent the same page twice: it seems to ignore cursor paging/);
    expect(queries()).toHaveLength(requests);
  });

  it("is not reported if equal records fill many pages under new cursors each time", async () => {
    let asked = 0;
    const script: Script = (socket, head) => {
      const page = asked < 300 ? [{ time: 1 }, { time: 1 }] : [];
      const next = asked < 300 ? `c${(asked += 1)}` : null;
      answer(JSON.stringify({ next, audits: page }))(socket, head);
    };
    const cursor = newPaged("cursor", { param: "after", next_at: "next" });
    expect(await read(cursor, [script])).toHaveLength(301);
  });
});
