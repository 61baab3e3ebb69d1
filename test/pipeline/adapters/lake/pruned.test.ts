import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DuckDBConnection } from "@duckdb/node-api";
import { mergedDay } from "../../../../pipeline/adapters/lake/pruned.ts";
import type { Relation } from "../../../../pipeline/adapters/lake/relation.ts";
import type { Store } from "../../../../pipeline/adapters/lake/store.ts";
import { temporaryFolder } from "../../../support/load.ts";

it("takes what the lake holds of a day to where nobody else may look, and says which file it lacks", async () => {
  const { path, remove } = temporaryFolder();
  const folder = join(path, "staging", "day");
  const held = ["a b.parquet", "gone.parquet"];
  const asked: string[] = [];
  const store = {
    place: "s3://lake",
    get: (name: string) => {
      asked.push(name);
      return Promise.resolve(name.includes("gone") ? undefined : Buffer.from("x"));
    },
  } as unknown as Store;
  const files = held.map((name) => ({ path: encodeURIComponent(name) }));
  const relation = { table: { name: "event_rows" } } as Relation;
  const inLake = { store, files, folder, whole: undefined } as unknown as Parameters<
    typeof mergedDay
  >[3];
  await expect(mergedDay({} as DuckDBConnection, relation, "2026-03-01", inLake)).rejects.toThrow(
    "the lake s3://lake lacks event_rows/gone.parquet, which its log names",
  );
  expect(asked).toEqual(held.map((name) => `event_rows/${name}`));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  remove();
});
