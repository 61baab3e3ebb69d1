import { expect, it } from "vitest";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import {
  listRecordedPrunes,
  recordPrune,
  type RecordedPrune,
  withdrawPrunes,
} from "../../../../pipeline/core/store/prune.ts";

const kinds = [true, false].flatMap((withEvents) =>
  [true, false].flatMap((keepsFolds) =>
    [["r1", "r2"], []].flatMap((readIds) =>
      ["a", null].map((source) => ({ withEvents, keepsFolds, readIds, source })),
    ),
  ),
);

it("a prune is recorded with every kind of file, the oldest first", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const file of ["006_prunes", "022_pruned_sums"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  const prunes = kinds.map((kind, i): RecordedPrune => {
    const day = String(i + 1).padStart(2, "0");
    const [before, prunedAt] = [`2026-01-${day} 00:00:00`, `2026-03-${day} 00:00:00.007`];
    return { pruneId: `p${i}`, before, prunedAt, events: i, quarantined: 2 * i, ...kind };
  });
  for (const prune of prunes.toReversed()) await recordPrune(connection, prune);
  expect(await listRecordedPrunes(connection)).toEqual(prunes);
});

it("the record of a prune is removed with its events if an earlier read is still to be loaded", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const file of ["006_prunes", "022_pruned_sums"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  const on = (day: number, withEvents: boolean): RecordedPrune => ({
    pruneId: `${day}`,
    prunedAt: `2026-03-0${day} 00:00:00.000`,
    before: "2026-01-01 00:00:00",
    source: null,
    withEvents,
    keepsFolds: false,
    readIds: [`r${day}`],
    events: 0,
    quarantined: 0,
  });
  const prunes = [on(1, true), on(2, true), on(3, false), on(4, true)];
  for (const prune of prunes) await recordPrune(connection, prune);
  const ids = async (): Promise<string[]> =>
    (await listRecordedPrunes(connection)).map(({ pruneId }) => pruneId);
  expect(await withdrawPrunes(connection, [])).toEqual([]);
  expect(await withdrawPrunes(connection, ["2026-03-04 00:00:00.001"])).toEqual([]);
  expect(await ids()).toEqual(["1", "2", "3", "4"]);
  const readAts = ["2026-03-09 00:00:00.000", "2026-03-02 00:00:00.000"];
  expect(await withdrawPrunes(connection, readAts)).toEqual([prunes[1], prunes[3]]);
  expect(await ids()).toEqual(["1", "3"]);
  // The very moment of a prune counts as before it, and one alone goes as several do.
  expect(await withdrawPrunes(connection, [prunes[0]!.prunedAt])).toEqual([prunes[0]]);
  expect(await ids()).toEqual(["3"]);
  const reads = await connection.runAndReadAll("select read_id from pruned_reads order by all");
  expect(reads.getRows().flat()).toEqual(["r3"]);
});
