import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";

// Files through the real import: what is cut off is not loaded in part, what cannot be read is kept.

const time = 1_767_225_600;
const records = [0, 1].map((i) => ({ time: time + i, event_name: "job_kill" }));

let home: TestHome;
beforeEach(async () => void (home = await homeWithWarehouse()));
afterEach(() => home[Symbol.dispose]());

const events = (): Promise<number> => home.count("select count(*) from events");
const quarantine = (): Promise<unknown> =>
  home.rows("select reason, length(record_text)::int as length from quarantine order by 1, 2");

describe("a record that is too long", () => {
  const long = 50 * 1024 * 1024;
  const tooLong = `{"time":${time},"event_name":"job_kill","query_text":"${"x".repeat(long)}"}`;
  const [before, after] = [records[0]!, records[1]!].map((record) => JSON.stringify(record));

  it.each([
    ["lines", `${before}\n${tooLong}\n${after}\n`],
    ["envelope", `{"audits":[${before},${tooLong},${after}]}`],
    ["csv", `time,event_name,query_text\n${time},a,\n${time},a,${"x".repeat(long)}\n${time},b,\n`],
  ])("is quarantined, and its neighbours are loaded (%s)", async (form, text) => {
    const { code, err } = await home.run(["import", home.write("long", text)]);
    expect([code, err]).toEqual([
      6,
      expect.stringContaining("3 records, 2 new, 0 duplicates, 1 quarantined"),
    ]);
    const length = form === "csv" ? expect.any(Number) : tooLong.length;
    expect(await quarantine()).toEqual([{ reason: "too_large", length }]);
    expect(await events()).toBe(2);
  });

  it("is accepted if unknown members make up most of it", async () => {
    let later = 0;
    const shade = (size: number): string =>
      `{"time":${time + (later += 1)},"event_name":"a","shade":"${"x".repeat(size * 1024 * 1024)}"`;
    const config = home.write("auditlake.json", JSON.stringify({ memory_limit: "700MB" }));
    const pad = `{"time":${time},"event_name":"a","session_id":"${"y".repeat(1000)}"}\n`.repeat(
      9000,
    );
    // Keys that differ only in letter case make staging separate the unknown members a second time.
    const long = [`${shade(15)}}`, `${shade(15)},"n":{}}`, `${shade(9)},"Shade":1}`];
    for (const [i, record] of long.entries()) {
      const file = home.write("big.ndjson", `${pad}${record}\n`);
      const { code, err } = await home.run(["--config", config, "import", file]);
      expect([i, code, err]).toEqual([i, 0, expect.stringContaining("9,001 records")]);
      expect(await home.count(`select count(*) from events where extra is not null`)).toBe(i + 1);
    }
  });
});
