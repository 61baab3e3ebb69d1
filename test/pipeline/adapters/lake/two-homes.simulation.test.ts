import { describe, expect, it } from "vitest";
import { pinSql } from "../../../../pipeline/adapters/lake/trino/pin-sql.ts";
import type { Publication } from "../../../../pipeline/adapters/lake/publication.ts";
import { fakeEngine, statementsIn } from "./fake-engine.ts";
import { readId, lakeHome, listRecords } from "./scene.ts";

// What several homes say of the same counts once; test/engine asks a real engine of two.

const engine = fakeEngine();

/** The ingesters in the order in which a statement takes their rows of the catalog. */
function order(sql: string): string[] {
  const [, cases = ""] =
    /catalog_entries as \(select \* from \(select \*, row_number\(\) over \(partition by entry_id order by case ingester (.*?) end, ingester\) as place from "lake"\."audit"\.catalog_entries for version as of \d+\) where place = 1\)/.exec(
      sql,
    ) ?? [];
  return [...cases.matchAll(/when '+(\w+)'+ then \d/g)].map(([, id]) => id!);
}

describe("two homes in one lake", () => {
  it("are queried with the catalog of the last publisher, regardless of ids", async () => {
    using other = lakeHome(engine.home.root);
    const first = readId(engine.home.root);
    const load = async (name: string): Promise<void> => {
      const file = other.write(
        `${name}.ndjson`,
        listRecords(5, name, 1)
          .map((each) => JSON.stringify(each))
          .join("\n"),
      );
      expect((await other.run(["--source", "other", "import", file])).code).toBe(0);
    };
    const ask = async (): Promise<string[]> => {
      engine.replies = [{ columns: [{ name: "n", type: "bigint" }], data: [[1]] }];
      expect((await engine.sql("select count(*) as n from catalog_entries")).code).toBe(0);
      return order(statementsIn(engine).at(-1)!.body);
    };
    await load("z");
    expect((await other.lake("publish")).code).toBe(0);
    const later = await ask();
    expect([later.length, later[1]]).toEqual([2, first]);
    await engine.home.load(listRecords(1, "a", 1));
    expect((await engine.home.lake("publish")).code).toBe(0);
    expect(await ask()).toEqual(later.toReversed());
  });

  it("are queried with that of the newer auditlake, among equal ones of the later", () => {
    const at = (tool_version: string, published_at: string | null) => ({
      sources: [],
      published_at,
      tool_version,
    });
    const ingesters = {
      a: at("0.9.0", "2026-03-04T00:00:00Z"),
      b: at("0.10.0", "2026-03-01T00:00:00Z"),
      c: at("0.10.0", null),
      d: at("0.10.0", "2026-03-02T00:00:00Z"),
    };
    const tables = { catalog_entries: { version: 3 } };
    const publication: Publication = { format: 1, publication: 2, at: "", ingesters, tables };
    const sql = pinSql("table catalog_entries", publication, { catalog: "lake", schema: "audit" });
    expect(order(sql)).toEqual(["d", "b", "c", "a"]);
  });
});
