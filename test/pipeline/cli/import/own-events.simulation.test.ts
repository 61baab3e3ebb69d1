import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeWithWarehouse, formatLines, type TestHome } from "../../../support/home.ts";
import { configuredIn, extra, mine, shown, time } from "../own-events.ts";

let home: TestHome;
beforeEach(async () => {
  home = await homeWithWarehouse();
});
afterEach(() => home[Symbol.dispose]());

describe("user events", () => {
  it("apply to events that were loaded before them, too", async () => {
    const file = home.write("records.ndjson", formatLines(mine));
    await home.run(["import", file]);
    expect((await home.rows(shown)).map((row) => row["catalog_match"])).toEqual([
      "undocumented_operation",
      "unknown_event",
      "unknown_event",
    ]);
    const pinned = { ...mine[2]!, time: time + 1 };
    const next = home.write("next.ndjson", formatLines([pinned]));
    await home.run(["--config", configuredIn(home, extra), "import", next]);
    const names = (await home.rows(shown)).map((row) => row["canonical_name"]);
    expect(names).toEqual(["table_create", "table_pin", "table_pin", "table_pin"]);
  });

  it("stay as last read while their file is invalid, also in a rebuild", async () => {
    const config = ["--config", configuredIn(home, extra)];
    expect(
      (await home.run([...config, "import", home.write("a.ndjson", formatLines(mine))])).code,
    ).toBe(0);
    home.write("mine.json", "{");
    const later = mine.map((record) => ({ ...record, time: time + 1 }));
    const next = await home.run([...config, "import", home.write("b.ndjson", formatLines(later))]);
    expect(next.code).toBe(6);
    const known = "select count(*) from events where canonical_name = 'table_pin'";
    expect(await home.count(known)).toBe(4);
    const listed = await home.run([...config, "catalog", "list"]);
    expect([listed.code, listed.out.includes("table_pin")]).toEqual([6, true]);
    expect((await home.run([...config, "rebuild"])).code).toBe(6);
    expect(await home.count(known)).toBe(4);
    home.write("mine.json", JSON.stringify(extra));
    expect((await home.run([...config, "publish"])).code).toBe(0);
  });
});
