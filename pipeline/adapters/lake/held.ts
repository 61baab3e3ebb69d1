import { type OwnFiles, tagged } from "./changes.ts";
import { dayText } from "../../base/time/text.ts";
import type { ByDay } from "./digest.ts";
import { isBefore } from "./kept.ts";
import type { AddFile } from "./log.ts";
import { tag } from "./snapshot.ts";
import type { LakeTable } from "./tables.ts";

// A database that was put back from an older copy lacks rows that the lake has. The files of such days say so, until the
// database has all of their rows again.

/** What a publish of an older copy finds: days before this one may have rows that the database lacks. */
export type Restored = {
  readonly before: string;
  /** Found by an earlier version, whose files do not say that they have more than the database. */
  readonly isFormer: boolean;
};

/** What the tag of files says: the lake has all rows of a day, more rows than the database, or other rows of jobs. */
export const keptAs = { day: "day", rows: "rows", jobs: "jobs" } as const;

/** The days of which the lake has rows that the database may lack, since it was put back from an older copy. */
export function heldDays(
  own: OwnFiles,
  { looks }: { readonly looks: ByDay },
  restored: Restored | undefined,
  { key }: LakeTable,
): ReadonlySet<string> {
  const isHeld = ([day, files]: readonly [string, readonly AddFile[]]): boolean => {
    const as = tagged(files, tag.kept);
    if (as === keptAs.rows) return true;
    // What it says of the rows is so: where those here look the same, they are all.
    const isSame = tagged(files, tag.look) === looks.get(day);
    if (as === keptAs.day) return !isSame;
    // The empty text of a table that is kept whole comes before every day.
    const isBack = restored !== undefined && key !== undefined && isBefore(day, restored.before);
    return isBack && (!isSame || restored.isFormer);
  };
  return new Set([...own].filter(isHeld).map(([day]) => day));
}

/** Days that are brought together again, since an earlier version did so and nothing says what came of it. */
export function againOf(
  held: ReadonlySet<string>,
  { days }: { readonly days: ReadonlySet<string> },
  restored: Restored | undefined,
): string[] {
  return restored?.isFormer === true ? [...held].filter((day) => days.has(day)) : [];
}

/** Files of days that the database has nothing of, from now on said to be kept. */
export function heldLabels(
  own: OwnFiles,
  held: ReadonlySet<string>,
  frozen: readonly string[],
): AddFile[] {
  const days = frozen.filter(
    (day) => held.has(day) && tagged(own.get(day), tag.kept) === undefined,
  );
  return days.flatMap((day) =>
    own.get(day)!.map((file) => ({
      ...file,
      dataChange: false,
      tags: { ...file.tags, [tag.kept]: keptAs.day },
    })),
  );
}

/** The day after the last one of which the lake has rows that the database may lack; undefined where there is none. */
export function heldBefore(own: OwnFiles): string | undefined {
  const isHeld = (files: readonly AddFile[]): boolean =>
    [keptAs.day, keptAs.rows].some((as) => as === tagged(files, tag.kept));
  const days = [...own].flatMap(([day, files]) => (isHeld(files) ? day : []));
  const last = days.sort().at(-1);
  return last === undefined ? undefined : dayAfter(last);
}

// Beyond the year 9999 texts of days have another order.
const lastMs = Date.parse("9999-12-31");

/** The day after one. */
export function dayAfter(day: string): string {
  return dayText(Math.min(Date.parse(`${day}T24:00Z`), lastMs));
}

/** Whether the files of a day are said to hold other rows than the database, of which the digest is given. */
export function isOther(files: readonly AddFile[] | undefined, here: string | undefined): boolean {
  const as = tagged(files, tag.kept);
  return as === keptAs.day ? tagged(files, tag.digest) !== here : as !== undefined;
}
