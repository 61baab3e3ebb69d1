import type { ByDay } from "./digest.ts";
import type { AddFile } from "./log.ts";
import { type Snapshot, tag } from "./snapshot.ts";

/** The files of one ingester, by the day that they are of. */
export type OwnFiles = ReadonlyMap<string, readonly AddFile[]>;

/** What is to be done about a table: days whose rows are written anew, and days whose files go. */
export type Changes = {
  readonly written: readonly string[];
  readonly gone: readonly string[];
  /** Days that the database no longer has, or no longer has whole, and that stay as they are. */
  readonly frozen: readonly string[];
};

/** The files of an ingester among those of a table. */
export function ownFiles(
  { files }: Snapshot,
  ingester: string,
  column: string | undefined,
): OwnFiles {
  const own = [...files.values()].filter(({ tags }) => tags?.[tag.ingester] === ingester);
  return Map.groupBy(own, ({ partitionValues }) =>
    column === undefined ? "" : (partitionValues[column] ?? ""),
  );
}

/** What a tag of a day's files says; undefined where they have none, or not the same. */
export function tagged(files: readonly AddFile[] | undefined, name: string): string | undefined {
  const values = new Set(files?.map(({ tags }) => tags?.[name]));
  return values.size === 1 ? [...values][0] : undefined;
}

/**
 * The days that have to be looked at closely. They look otherwise than they did when they were put there, or were put
 * there with other columns (`form`).
 */
export function suspects(own: OwnFiles, looks: ByDay, form: string): string[] {
  return [...looks].flatMap(([day, look]) => {
    const files = own.get(day);
    const isSame = tagged(files, tag.look) === look && tagged(files, tag.digest)?.endsWith(form);
    return isSame ? [] : [day];
  });
}

/** What was found of a table here: the days there are, and the digests of those that were looked at. */
export type Here = { readonly digests: ByDay; readonly days: ReadonlySet<string> };

/** What to do, by what was found here, and by the days whose files are lost in the lake. */
export function changesOf(
  own: OwnFiles,
  { digests, days }: Here,
  lost: ReadonlySet<string>,
  isPruned: (day: string) => boolean,
): Changes {
  const written = [...digests].flatMap(([day, digest]) =>
    tagged(own.get(day), tag.digest) === digest && !lost.has(day) ? [] : [day],
  );
  const lacking = [...own.keys()].filter((day) => !days.has(day));
  return {
    written: written.sort(),
    gone: lacking.filter((day) => !isPruned(day)).sort(),
    frozen: lacking.filter(isPruned).sort(),
  };
}
