import { expect, it } from "vitest";
import { readAsset } from "../../../pipeline/home/assets.ts";
import { openInMemory } from "../../../pipeline/store/open.ts";
import { recordedPrunes, recordPrune, type RecordedPrune } from "../../../pipeline/store/prune.ts";

const kinds = [true, false].flatMap((withEvents) =>
  [true, false].flatMap((keepsFolds) =>
    [["r1", "r2"], []].flatMap((readIds) =>
      ["a", null].map((source) => ({ withEvents, keepsFolds, readIds, source })),
    ),
  ),
);

it("is on record as it was, of every kind, the oldest first", async () => {
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
  expect(await recordedPrunes(connection)).toEqual(prunes);
});
