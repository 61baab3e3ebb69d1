import { newRandom } from "../../../fixtures/random.ts";
import { makeGroups, type Group } from "./groups.ts";
import { listConflicts, differences, listEvents } from "./oracle.ts";
import { readAll, type Holding } from "./reading.ts";

/** Groups of a seed: they share their reads. */
export const perSeed = 1000;
const reads = 4;
const lastSecond = 3500;
const shownComplaints = 5;

/** The groups of a seed. */
export function groupsFor(seed: number, count = perSeed): Group[] {
  return makeGroups(newRandom(seed, "groups"), count, reads, lastSecond);
}

/** Reads groups in several orders, each into a home of its own, and returns what is wrong, one line each. */
export async function tryOrders(
  groups: readonly Group[],
  seed: number,
  orders = 3,
): Promise<string[]> {
  const random = newRandom(seed, "orders");
  const should = listEvents(groups);
  const flagged = listConflicts(groups);
  const complaints: string[] = [];
  const digests: string[] = [];
  for (let order = 0; order < orders; order++) {
    const places = Array.from({ length: reads }, (_, read) => ({ read, by: random.next() }));
    const sequence = order === 0 ? places : places.sort((a, b) => a.by - b.by);
    const numbers = sequence.map(({ read }) => read);
    const holding = await readAll(groups, numbers, seed);
    digests.push(holding.digest);
    const wrong = judge(holding, should, flagged);
    complaints.push(...wrong.map((line) => `order ${numbers.join(" ")}: ${line}`));
  }
  if (new Set(digests).size > 1) complaints.push("another order of the reads gives another digest");
  return complaints;
}

type Flagged = ReturnType<typeof listConflicts>;

function judge(holding: Holding, should: ReadonlyMap<string, number>, flagged: Flagged): string[] {
  const wrong = differences(should, holding.held);
  const more =
    wrong.length > shownComplaints ? [`and ${wrong.length - shownComplaints} more like these`] : [];
  const conflicts = new Set(holding.conflicts);
  const unflagged = flagged.must.difference(conflicts).size;
  const surplus = conflicts.difference(flagged.may).size;
  return [
    ...holding.complaints,
    ...wrong.slice(0, shownComplaints),
    ...more,
    ...(unflagged > 0 ? [`${unflagged} ids with several contents are not in id_conflicts`] : []),
    ...(surplus > 0 ? [`${surplus} ids in id_conflicts have one content alone`] : []),
    ...(holding.digest === holding.rebuilt ? [] : ["rebuild gives another digest"]),
  ];
}
