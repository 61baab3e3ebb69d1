import { type Group, getMark, computeSecond, type Shown } from "./groups.ts";

/**
 * How many events there are of each mark: the most that one read showed at once. With an id, records that differ in
 * unknown fields count, and repeats do not; without one, each record is an event.
 */
export function listEvents(groups: readonly Group[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const { id, reads } of groups)
    for (const read of reads)
      for (const [mark, records] of Map.groupBy(read, getMark)) {
        const events =
          id === undefined ? records.length : new Set(records.map(({ unknown }) => unknown)).size;
        most.set(mark, Math.max(events, most.get(mark) ?? 0));
      }
  return most;
}

/** Ids that must be flagged: with several known contents; and ids that may be: with several contents of any kind. */
export function listConflicts(groups: readonly Group[]): { must: Set<string>; may: Set<string> } {
  const ids = (contentOf: (shown: Shown) => string): Set<string> =>
    new Set(
      groups.flatMap(({ id, reads }) =>
        id !== undefined && new Set(reads.flat().map(contentOf)).size > 1 ? [id] : [],
      ),
    );
  return { must: ids(getMark), may: ids((shown) => `${getMark(shown)} ${shown.unknown}`) };
}

/** Where a service has what names a record. */
export type IdPlace = "id" | "event_id" | "meta.uuid";

/** A name as a service writes it. */
export function namedAt(place: IdPlace, id: string): object {
  return place === "meta.uuid" ? { meta: { uuid: id } } : { [place]: id };
}

/** A record as the service writes it. */
export function buildRecord(
  group: Group,
  shown: Shown,
  hourSecond: number,
  place: IdPlace = "id",
): object {
  return {
    time: hourSecond + computeSecond(group, shown),
    event_name: shown.known % 4 === 3 ? "user_login" : "job_kill",
    ...(group.id === undefined ? {} : namedAt(place, group.id)),
    user_id: group.number % 7,
    resource_id: getMark(shown),
    old_value: "x".repeat(shown.known % 3),
    ...(shown.unknown === 1 ? {} : { shade: shown.unknown }),
  };
}

/** Where the store differs from what it should hold, one line each, at most some. */
export function differences(
  should: ReadonlyMap<string, number>,
  held: ReadonlyMap<string, number>,
): string[] {
  return [...new Set([...should.keys(), ...held.keys()])].flatMap((mark) => {
    const [is, wanted] = [held.get(mark) ?? 0, should.get(mark) ?? 0];
    if (is === wanted) return [];
    return [`${mark} ${is < wanted ? "hidden" : "doubled"}: held ${is} times, expected ${wanted}`];
  });
}
