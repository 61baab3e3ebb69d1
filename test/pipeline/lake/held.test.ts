import { expect, it, onTestFinished } from "vitest";
import { fetchedFiles } from "../../../pipeline/lake/fetched.ts";
import { heldBefore, keptAs } from "../../../pipeline/lake/held.ts";
import type { AddFile } from "../../../pipeline/lake/log.ts";
import { tag } from "../../../pipeline/lake/snapshot.ts";
import type { Store } from "../../../pipeline/lake/store.ts";
import { temporaryFolder } from "../../support/load.ts";

const file = (as?: string): AddFile =>
  ({ path: "gone.parquet", tags: as === undefined ? {} : { [tag.kept]: as } }) as AddFile;

it.each<[what: string, days: Record<string, string | undefined>, before: string | undefined]>([
  ["a whole day", { "2026-01-01": keptAs.day, "2026-01-09": undefined }, "2026-01-02"],
  ["more rows of one", { "2026-01-01": keptAs.day, "2026-01-31": keptAs.rows }, "2026-02-01"],
  ["other rows of jobs alone", { "2026-01-01": keptAs.jobs }, undefined],
  ["nothing", { "2026-01-01": undefined }, undefined],
])("where the lake has %s more than the database", (_, days, before) => {
  const own = new Map(Object.entries(days).map(([day, as]) => [day, [file(as)]]));
  expect(heldBefore(own)).toBe(before);
});

it("says what to do for a file that the lake lacks, by what the database has of its day", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const store = { place: "/lake", get: () => Promise.resolve(undefined) } as unknown as Store;
  const fetched = (isHeld?: boolean): Promise<string[]> =>
    fetchedFiles(store, "job_rows", [file()], path, isHeld);
  await expect(fetched()).rejects.toThrow(
    "the lake /lake lacks job_rows/gone.parquet, which its log names; put it back from a copy, since the database no longer has these events",
  );
  await expect(fetched(true)).rejects.toThrow("or run auditlake lake publish --full");
});
