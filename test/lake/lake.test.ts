import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Outcome } from "../support/command.ts";
import { projectPath } from "../docs/pages.ts";
import { newFolderStore } from "../../pipeline/adapters/lake/store.ts";
import { publishThrough, listRecords, withoutEvents } from "../pipeline/adapters/lake/scene.ts";
import {
  readCheckpoints,
  forgetBeforeCheckpoint,
  readVersions,
} from "../pipeline/adapters/lake/reader.ts";
import { type ObjectStore, objectStore, readBy, requireTools } from "./tools.ts";

// Independent readers and a real object store: what is promised of the files is promised to those.

let home: TestHome;
let store: ObjectStore;

beforeAll(async () => {
  requireTools();
  home = await homeWithWarehouse();
  store = await objectStore();
  const golden = ["records.ndjson", "users.json"].map((name) =>
    projectPath(`fixtures/golden/${name}`),
  );
  const { code, err } = await home.run(["import", golden[0]!, "--users", golden[1]!]);
  expect([code, err]).toEqual([0, expect.stringContaining("811 new")]);
});
afterAll(async () => {
  home[Symbol.dispose]();
  await store[Symbol.asyncDispose]();
});

const publish = (lake: object, env: Record<string, string> = {}): Promise<Outcome> => {
  const config = home.write("c.json", JSON.stringify({ lake }));
  return home.run(["--config", config, "lake", "publish"], { env });
};

async function rowsAtHome(tables: readonly string[]): Promise<Record<string, number>> {
  const counts: [string, number][] = [];
  for (const table of tables)
    counts.push([table, await home.count(`select count(*) from ${table}`)]);
  return Object.fromEntries(counts);
}

describe("delta-rs and DuckDB's own reader", () => {
  it("find every table of a publication, and all its rows, unchanged", async () => {
    const location = `${home.folder}/lake`;
    expect((await publish({ location })).code).toBe(0);
    const versions = readVersions(location);
    const found = readBy(location, versions);
    const expected = await rowsAtHome(Object.keys(versions));
    const of = (reader: "delta_rs" | "duckdb"): Record<string, unknown> =>
      Object.fromEntries(Object.entries(found).map(([table, read]) => [table, read[reader]]));
    expect(of("delta_rs")).toEqual(expected);
    expect(of("duckdb")).toEqual(expected);
    const [row] = await home.rows(
      "select count(distinct event_key)::varchar as keys, min(event_time)::varchar as first, max(event_time)::varchar as last, sum(length(query_text))::varchar as texts from event_rows",
    );
    expect(found["event_rows"]!.events).toEqual(Object.values(row!));
  });

  it("still find previous publications, at their versions", async () => {
    const location = `${home.folder}/publications`;
    await publish({ location });
    const first = readVersions(location);
    const before = readBy(location, { event_rows: first["event_rows"]! });
    await home.load(listRecords(0, "more"));
    await publish({ location });
    const second = readVersions(location);
    expect(second["event_rows"]).toBe(1);
    const events = await home.count("select count(*) from event_rows");
    expect(readBy(location, second)["event_rows"]).toMatchObject({
      delta_rs: events,
      duckdb: events,
    });
    expect(readBy(location, { event_rows: 0 })["event_rows"]!.delta_rs).toBe(
      before["event_rows"]!.delta_rs,
    );
  });
});

describe("the checkpoints of a log", () => {
  it("are the start for both readers after many publications, without the earlier entries", async () => {
    const location = `${home.folder}/many`;
    const other = await withoutEvents(home, "hash(event_key) % 2 = 0");
    const few = { tables: ["event_rows"] };
    for (let n = 0; n < 34; n++) {
      const from = n % 2 === 0 ? other : home;
      await publishThrough(from, newFolderStore(location), "feedfeedfeedfeed", few);
    }
    const versions = readVersions(location);
    expect(readCheckpoints(location, "event_rows")).toEqual([9, 19, 29]);
    for (const table of few.tables) expect(forgetBeforeCheckpoint(location, table)).toBe(29);
    const found = readBy(location, versions);
    const here = await rowsAtHome(few.tables);
    for (const [table, rows] of Object.entries(here))
      expect([table, found[table]]).toEqual([
        table,
        expect.objectContaining({ delta_rs: rows, duckdb: rows }),
      ]);
    expect(readBy(location, { event_rows: 30 })["event_rows"]!.delta_rs).toBe(
      await other.count("select count(*) from event_rows"),
    );
    other[Symbol.dispose]();
  });
});

describe("an object store", () => {
  const place = "s3://audit/gold";

  it("accepts a publication by signed requests, and refuses a wrong key", async () => {
    const lake = { location: place, endpoint: store.endpoint };
    const wrong = await publish(lake, { ...store.env, AWS_SECRET_ACCESS_KEY: "wrong" });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("SignatureDoesNotMatch")]);
    const { code, err } = await publish(lake, store.env);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^lake: publication 2, \d+ tables changed/),
    ]);
    expect((await publish(lake, store.env)).err).toBe("lake: nothing changed, publication 2\n");
    const events = await home.count("select count(*) from event_rows");
    expect(readBy(place, { event_rows: 0 }, store.endpoint)["event_rows"]!.delta_rs).toBe(events);
  });

  it("lets one of many writers create a name", async () => {
    const { AwsClient } = await import("aws4fetch");
    const signer = new AwsClient({
      accessKeyId: store.env["AWS_ACCESS_KEY_ID"]!,
      secretAccessKey: store.env["AWS_SECRET_ACCESS_KEY"]!,
      service: "s3",
      region: "us-east-1",
    });
    const put = (i: number): Promise<Response> =>
      signer.fetch(`${store.endpoint}/audit/one-name`, {
        method: "PUT",
        body: String(i),
        headers: { "if-none-match": "*" },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => put(i)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });
});
