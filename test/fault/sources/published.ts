import { readFileSync } from "node:fs";
import { openPublished } from "../../../pipeline/core/store/open.ts";
import type { Row } from "../../support/rows.ts";
import { makeName } from "./scheduled-run.ts";
import type { Plan } from "./plan.ts";
import { dropped, unfounded } from "./dropped.ts";
import { unearned } from "./final.ts";
import { givenUpTooSoon } from "./gaps.ts";
import { matched } from "./reads.ts";
import { listBounds, differences, missed } from "./truth.ts";
import type { Trial } from "./trial.ts";
import { withheld } from "./unclaimed.ts";
import { getKey } from "./walks.ts";

/** What a published file says about the sources in it, by source. */
export type Published = {
  readonly held: ReadonlyMap<string, readonly Row[]>;
  readonly books: ReadonlyMap<string, readonly Row[]>;
  readonly reads: ReadonlyMap<string, readonly Row[]>;
};

/** Reads the published file of a batch. */
export async function readPublished(path: string): Promise<Published> {
  await using database = await openPublished(path, { memoryLimit: "300MB", threads: 1 });
  const bySource = async (file: string): Promise<Map<string, Row[]>> => {
    const sql = readFileSync(new URL(file, import.meta.url), "utf8");
    const reader = await database.connection.runAndReadAll(sql);
    return Map.groupBy(reader.getRowObjectsJson(), (row) => String(row["source"]));
  };
  return {
    held: await bySource("held.sql"),
    books: await bySource("books.sql"),
    reads: await bySource("reads.sql"),
  };
}

/**
 * The faults of a seed in the published file: lost, doubled or changed records, wrong counts, finality without
 * evidence, failures without a reason.
 */
export function listComplaints(trial: Trial, published: Published): string[] {
  const { plan, walks } = trial;
  const name = makeName(plan);
  const rows = published.held.get(name) ?? [];
  const { reads, complaints } = matched(plan, walks, published.reads.get(name) ?? []);
  const held = new Map<string, number>();
  for (const row of rows)
    held.set(String(row["label"]), (held.get(String(row["label"])) ?? 0) + Number(row["held"]));
  const books = (published.books.get(name) ?? []).map(
    (row) => `run ${String(row["run_id"])}: wrong totals`,
  );
  return [
    ...trial.complaints,
    ...complaints,
    ...dropped(plan, trial, reads),
    ...unfounded(plan, trial, trial.failures),
    ...trial.claims.flatMap((claim) => unearned(plan, reads, walks, claim)),
    ...withheld(plan, reads, trial.claims, trial.gaps),
    ...givenUpTooSoon(plan, reads, trial.gaps, trial.failures),
    ...differences(listBounds(plan, reads), held),
    ...missed(plan, reads, trial.gaps, held),
    ...change(plan, rows),
    ...books,
  ];
}

function change({ events }: Plan, rows: readonly Row[]): string[] {
  const byKey = new Map(events.map((event) => [getKey(event), event]));
  return rows.flatMap((row) => {
    const event = byKey.get(String(row["label"]));
    if (event === undefined) return [`${String(row["label"])} was never shown`];
    if (!event.isReadable) return [];
    const { event_name: name, user_id: user, new_value: value, shade } = event.fields;
    const extra = shade === null ? null : JSON.stringify({ shade });
    const content = [name, user, value, extra].filter((v) => v !== null).join("\u001f");
    const found = [Number(row["time_ms"]), row["content"]];
    return found[0] === event.timeMs && found[1] === content
      ? []
      : [
          `${getKey(event)} is held as ${JSON.stringify(found)}, shown as ${JSON.stringify([event.timeMs, content])}`,
        ];
  });
}
