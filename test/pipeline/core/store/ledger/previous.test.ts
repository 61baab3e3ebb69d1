import { expect, it } from "vitest";
import { readAsset } from "../../../../../pipeline/base/home/assets.ts";
import { openInMemory } from "../../../../../pipeline/core/store/open.ts";
import { findPrevious } from "../../../../../pipeline/core/store/ledger/previous.ts";
import type { ReadFacts } from "../../../../../pipeline/core/store/loading/read-facts.ts";
import { insert, zeros } from "../../../../queries/ledger.ts";

type Read = readonly [id: string, source: string, from: string, to: string, at: string];
const reads: readonly Read[] = [
  ["other source", "b", "03-01", "03-02", "03-05"],
  ["before", "a", "02-28", "03-01", "03-05"],
  ["behind", "a", "03-02", "03-03", "03-05"],
  ["older", "a", "03-01", "03-02", "03-03"],
  ["newest", "a", "03-01", "03-02", "03-04"],
  ["later", "a", "03-01", "03-02", "03-09"],
  ["broken off", "d", "03-01", "03-02", "03-04"],
  ["of another range", "e", "03-01", "03-03", "03-04"],
];

it("a read is compared with the newest previous one of its source and window", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  await connection.run(readAsset("schemas/tables/001_ledger.sql"));
  const previous = async (source: string): Promise<readonly (string | undefined)[]> => {
    const [windowStart, windowEnd] = ["2026-03-01", "2026-03-02"];
    const read = { source, readId: "now", seenAt: "2026-03-06", windowStart, windowEnd };
    const { compared, standing, newest } = await findPrevious(connection, read as ReadFacts);
    return [compared?.digest, standing?.readId, newest?.digest];
  };
  await insert(
    connection,
    "window_reads",
    reads.map(([id, source, from, to, at]) => ({
      read_id: id,
      run_id: "r",
      source,
      window_start: `2026-${from}`,
      window_end: `2026-${to}`,
      read_at: `2026-${at}`,
      state: "open",
      digest: id,
      evidence: "[]",
      signs: id === "broken off" ? "[next]" : "[]",
      ...zeros("pages fetched inserted duplicate quarantined vanished outside neutral parts"),
      ...zeros("next_followed half_asked is_mark"),
    })),
  );
  expect(await previous("a")).toEqual(["newest", "newest", "newest"]);
  expect(await previous("b")).toEqual(["other source", "other source", "other source"]);
  expect(await previous("c")).toEqual([undefined, undefined, undefined]);
  // What is not whole, or of another range, shows nothing that could be repeated.
  expect((await previous("d"))[2]).toBeUndefined();
  expect((await previous("e"))[2]).toBeUndefined();
});
