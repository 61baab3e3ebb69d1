import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import {
  openInMemory,
  openPublished,
  openWarehouse,
  type Database,
} from "../../../../../pipeline/core/store/open.ts";
import { newRealWorld } from "../../../../../pipeline/base/world.ts";
import { newHome } from "../../../../support/home.ts";

// The zone of the machine changes no time: every connection, the one of a query's own process too, is in UTC.

const home = newHome();
afterAll(() => home[Symbol.dispose]());
const printing = { nowMs: 0, print: () => undefined };
const limits = { memoryLimit: "200MB", threads: 1 };
const zone = "select current_setting('TimeZone') as zone, 'epoch'::timestamptz::varchar as epoch";
const utc = { zone: "UTC", epoch: "1970-01-01 00:00:00+00" };

async function readZone(opening: Promise<Database>): Promise<unknown> {
  await using database = await opening;
  return (await database.connection.runAndReadAll(zone)).getRowObjectsJson()[0];
}

it("every connection is in UTC, in any zone of the machine", async () => {
  const before = process.env["TZ"];
  process.env["TZ"] = "America/St_Johns";
  try {
    expect(new Date(0).getHours()).not.toBe(0);
    expect((await home.load([{ time: "2026-01-01", event_name: "a" }])).code).toBe(0);
    const [warehouse, published] = ["warehouse.duckdb", "audit.duckdb"].map((name) =>
      join(home.home, name),
    );
    expect(await readZone(openInMemory(limits))).toEqual(utc);
    expect(await readZone(openPublished(published!, limits))).toEqual(utc);
    expect(
      await readZone(openWarehouse(warehouse!, join(home.folder, "tmp"), limits, printing)),
    ).toEqual(utc);
    const { sleep } = newRealWorld(new AbortController().signal);
    const asked = await home.run(["sql", "--format", "json", zone], { sleep });
    expect(JSON.parse(asked.out)).toEqual([utc]);
    expect(await home.rows("select event_time from events")).toEqual([
      { event_time: "2026-01-01 00:00:00" },
    ]);
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});
