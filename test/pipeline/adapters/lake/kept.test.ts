import { expect, it } from "vitest";
import { isKept, keptInLake } from "../../../../pipeline/adapters/lake/kept.ts";
import type { LakeTable } from "../../../../pipeline/adapters/lake/tables.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";

const [keyed, keyless] = [{ key: ["id"] }, {}] as unknown as readonly [LakeTable, LakeTable];
const asked: readonly (readonly [LakeTable, string])[] = [
  [keyed, ""],
  [keyless, ""],
  [keyed, "2026-03-03"],
  [keyed, "2026-03-04"],
];

it("keeps of each source what a prune took of that one", async () => {
  using home = await homeWithWarehouse();
  await inWarehouse(home, async (connection) => {
    const prune = (id: string, before: string, source: string | null): Promise<unknown> =>
      connection.run(
        "insert into prunes (prune_id, pruned_at, before_time, source, with_events, reads, events, quarantined) values ($id, now(), $before::timestamp, $source, true, 0, 0, 0)",
        { id, before, source },
      );
    const none = await keptInLake(connection);
    expect(asked.map(([table, day]) => isKept(none, table, day))).toEqual(asked.map(() => false));
    await prune("p1", "2026-03-04", "a");
    const kept = await keptInLake(connection);
    const momentOf = async (source: string): Promise<unknown> => {
      const sql = `select cast(${kept.moment} as varchar) as m from (select $source::varchar as source)`;
      return (await connection.runAndReadAll(sql, { source })).getRowsJson()[0]![0];
    };
    expect(await momentOf("a")).toBe("2026-03-04 00:00:00");
    expect(await momentOf("new")).toBeNull();
    expect(asked.map(([table, day]) => isKept(kept, table, day))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    await prune("p2", "2026-03-02", null);
    const both = await keptInLake(connection);
    const sql = `select cast(${both.moment} as varchar) as m from (values ('a'), ('b')) as v(source) order by m`;
    expect((await connection.runAndReadAll(sql)).getRowsJson()).toEqual([
      ["2026-03-02 00:00:00"],
      ["2026-03-04 00:00:00"],
    ]);
  });
});
