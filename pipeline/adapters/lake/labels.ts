import { type OwnFiles, tagged } from "./changes.ts";
import type { ByDay } from "./digest.ts";
import type { AddFile } from "./log.ts";
import { nothing } from "./put.ts";
import { tag } from "./snapshot.ts";

/** What was found of a table in the database. */
export type Found = {
  readonly looks: ByDay;
  readonly digests: ByDay;
  /** The days that the database has rows of. */
  readonly days: ReadonlySet<string>;
};

/**
 * Files of days that look otherwise and hold the same, as after another version of the database: told apart from then on.
 */
export function relabelled(
  own: OwnFiles,
  { looks, digests }: Pick<Found, "looks" | "digests">,
  written: readonly string[],
): AddFile[] {
  return [...digests].flatMap(([day, digest]) => {
    const files = written.includes(day) ? [] : (own.get(day) ?? []);
    if (tagged(files, tag.digest) !== digest || tagged(files, tag.look) === looks.get(day))
      return [];
    const look = { [tag.look]: looks.get(day)! };
    return files.map((file) => ({ ...file, dataChange: false, tags: { ...file.tags, ...look } }));
  });
}

/**
 * What files of a day are said to hold. One that is written for another reason than its rows here is said to hold what
 * it was said to.
 */
export function tagsOf(
  { looks, digests }: Pick<Found, "looks" | "digests">,
  own: OwnFiles,
): (day: string) => Readonly<Record<string, string>> {
  return (day) => ({
    [tag.digest]:
      digests.get(day) ??
      (looks.has(day) ? tagged(own.get(day), tag.digest) : undefined) ??
      nothing,
    [tag.look]: looks.get(day) ?? nothing,
  });
}
