import { readFileSync } from "node:fs";
import { openPublished } from "../../../pipeline/warehouse/open.ts";
import type { Row } from "../../support/home.ts";
import { nameOf } from "./night.ts";
import type { Plan } from "./plan.ts";
import { boundsOf, differences, missed } from "./truth.ts";
import type { Trial } from "./trial.ts";
import { keyOf, shownIn, type Walk } from "./walks.ts";

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

/** What a trial's seed has against what was published: lost, doubled or changed records, wrong books. */
export function complaintsOf(trial: Trial, published: Published): string[] {
  const { plan } = trial;
  const name = nameOf(plan);
  const rows = published.held.get(name) ?? [];
  const reads = published.reads.get(name) ?? [];
  const accepted = [...trial.accepted, ...storedOf(trial, reads)].sort(
    (a, b) => trial.walks.indexOf(a) - trial.walks.indexOf(b),
  );
  const held = new Map<string, number>();
  for (const row of rows)
    held.set(String(row["label"]), (held.get(String(row["label"])) ?? 0) + Number(row["held"]));
  const books = (published.books.get(name) ?? []).map(
    (row) => `run ${String(row["run_id"])}: wrong totals`,
  );
  return [
    ...differences(boundsOf(plan, accepted), held),
    ...missed(plan, trial.walks, accepted, held),
    ...changed(plan, rows),
    ...fetchedWrong(plan, accepted, reads),
    ...books,
  ];
}

// A night that ended early leaves it to the ledger to say which of its windows were stored, and how often.
function storedOf({ plan, open, accepted }: Trial, reads: readonly Row[]): Walk[] {
  const windows = Map.groupBy(open, windowOf);
  return [...windows.values()].flatMap((walks) => {
    const { night, fromMs, toMs } = walks[0]!;
    const wanted = [plan.nights[night]!.localMs, fromMs, toMs];
    const stored = reads.filter((row) =>
      [row["read_ms"], row["from_ms"], row["to_ms"]].every((ms, i) => Number(ms) === wanted[i]),
    );
    const others = accepted.filter((walk) => windowOf(walk) === windowOf(walks[0]!));
    return walks.slice(0, Math.max(0, stored.length - others.length));
  });
}

function windowOf({ night, fromMs, toMs }: Walk): string {
  return `${night} ${fromMs} ${toMs}`;
}

// As many records as the accepted walks of a night showed.
function fetchedWrong(
  { nights }: Plan,
  accepted: readonly Walk[],
  reads: readonly Row[],
): string[] {
  return nights.flatMap(({ localMs }, night) => {
    const shown = accepted.filter((walk) => walk.night === night).flatMap(shownIn).length;
    const fetched = reads
      .filter((row) => Number(row["read_ms"]) === localMs)
      .reduce((sum, row) => sum + Number(row["fetched"]), 0);
    return shown === fetched ? [] : [`night ${night}: fetched ${fetched}, shown ${shown}`];
  });
}

function changed({ events }: Plan, rows: readonly Row[]): string[] {
  const byKey = new Map(events.map((event) => [keyOf(event), event]));
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
          `${keyOf(event)} is held as ${JSON.stringify(found)}, shown as ${JSON.stringify([event.timeMs, content])}`,
        ];
  });
}
