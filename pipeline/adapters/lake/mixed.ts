import { type Changes, type OwnFiles, tagged } from "./changes.ts";
import { isBefore, type Kept } from "./kept.ts";
import { nothing } from "./put.ts";
import { tag } from "./snapshot.ts";
import type { LakeTable } from "./tables.ts";

/**
 * Whether a day that the database has nothing of is written anew, so that what was not pruned goes. It is once, where
 * some source was not pruned of it.
 */
export function isMixed({ ofAll }: Kept, { key }: LakeTable, day: string, own: OwnFiles): boolean {
  return (
    day !== "" &&
    key !== undefined &&
    !isBefore(day, ofAll) &&
    tagged(own.get(day), tag.look) !== nothing
  );
}

/** The changes with days that are written for another reason than their rows here: no file of them goes or stays. */
export function withMixed(
  { written, gone, frozen }: Changes,
  others: readonly string[],
  isOneOfThem: (day: string) => boolean,
): Changes {
  const more = [...frozen.filter(isOneOfThem), ...others];
  const all = new Set([...written, ...more]);
  return {
    written: [...all].sort(),
    gone: gone.filter((day) => !all.has(day)),
    frozen: frozen.filter((day) => !all.has(day)),
  };
}
