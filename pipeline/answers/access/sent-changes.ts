import type { DuckDBConnection } from "@duckdb/node-api";
import { isObject } from "../../../schemas/object.ts";
import type { PermissionSet } from "../../../schemas/policies.ts";
import type { Settings } from "../../base/home/settings.ts";
import { parseKeepingNumbers } from "../../core/records/canonical.ts";
import { compareSets, listGrants, isSameSet, parseSet } from "../../core/records/permissions.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { isInPlace, listChanges, type SentChange } from "./log.ts";
import { withUnnamed } from "./change.ts";
import { openKnown } from "./target.ts";

/**
 * The sets that were sent from here, as rows of text. Each has what it added and took away, and the event of the
 * published log that shows it.
 */
export async function listSentChanges(settings: Settings): Promise<{
  readonly columns: readonly string[];
  readonly rows: readonly (string | null)[][];
}> {
  await using database = await openKnown(settings);
  const changes = listChanges(settings.home);
  const events =
    database === undefined || changes.length === 0
      ? []
      : await listLoggedSets(changes, database.connection);
  const proofs = matchProofs(changes, events);
  return { columns, rows: changes.map((sent) => toRow(sent, proofs.get(sent.change_id))) };
}

const columns = [
  "sent_at",
  "policy_id",
  "verb",
  "by_whom",
  "api_user",
  "reason",
  "added",
  "taken_away",
  "outcome",
  "confirmed_by",
  "confirmed_actor",
  "source",
];

function toRow(sent: SentChange, proof: LoggedSet | undefined): (string | null)[] {
  const { added, removed } = compareSets(parseSet(sent.before), parseSet(sent.after));
  return [
    sent.sent_at,
    sent.policy_id,
    sent.verb,
    sent.by_whom,
    sent.api_user,
    sent.reason,
    String(added.length),
    String(removed.length),
    sent.outcome,
    proof?.key ?? null,
    proof?.email ?? null,
    sent.source,
  ];
}

// Those of all the time in which sets were sent from here, and of some around it, since clocks differ.
async function listLoggedSets(
  changes: readonly SentChange[],
  connection: DuckDBConnection,
): Promise<LoggedSet[]> {
  const times = changes.map(({ sent_at }) => sent_at).sort();
  const shiftDay = (text: string, days: number): string =>
    new Date(Date.parse(text) + days * 86_400_000).toISOString();
  const range = { from: shiftDay(times[0]!, -2), until: shiftDay(times.at(-1)!, 2) };
  const rows = await queryRows(connection, "queries/access/confirming.sql", loggedShape, range);
  return rows.flatMap(({ eventKey, resourceId, actorEmail, oldValue, newValue, ...row }) => {
    const after = setIn(newValue);
    if (after === undefined) return [];
    const names = { key: eventKey, policyId: resourceId ?? "", email: actorEmail };
    return [{ ...row, ...names, before: setIn(oldValue), after }];
  });
}

const loggedShape = {
  eventKey: text,
  timeMs: count,
  source: text,
  resourceId: nullable(text),
  actorEmail: nullable(text),
  userId: nullable(text),
  oldValue: nullable(text),
  newValue: nullable(text),
};

function setIn(text: string | null): PermissionSet | undefined {
  try {
    const value = text === null ? undefined : parseKeepingNumbers(text);
    return isObject(value) && Array.isArray(value["Databases"]) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An event of the log that shows a permission set; the previous set is undefined if the event does not show it. */
export type LoggedSet = {
  readonly key: string;
  readonly timeMs: number;
  readonly source: string;
  readonly policyId: string;
  /** Lower case. */
  readonly email: string | null;
  readonly userId: string | null;
  readonly before: PermissionSet | undefined;
  readonly after: PermissionSet;
};

const minuteMs = 60_000;
// With these outcomes, the policy does not have the set that was sent.
const withoutProof = ["not_sent", "changed_meanwhile", "refused"];

/**
 * The event that proves each change, by the id of the change. It shows the same set before and after, is of the user of
 * the key, and was made when it was sent. No event proves two: as many as can be are confirmed, in order of time, by the
 * nearest.
 */
export function matchProofs(
  changes: readonly SentChange[],
  events: readonly LoggedSet[],
): ReadonlyMap<string, LoggedSet> {
  const proofs = new Map<string, LoggedSet>();
  const sent = changes.filter(({ outcome }) => !withoutProof.includes(outcome));
  // An event that shows the previous set is the better proof, so events without it are used for the rest.
  for (const isWhole of [true, false]) {
    const open = sent.filter(({ change_id: id }) => !proofs.has(id));
    const own = events.filter(({ before }) => (before !== undefined) === isWhole);
    const eventsOf = Map.groupBy(own, (event) => formatEvent(event, isWhole));
    for (const [text, alike] of Map.groupBy(open, (change) => changeText(change, isWhole)))
      for (const { change, event } of listPairs(alike, eventsOf.get(text) ?? []))
        proofs.set(change.change_id, event);
  }
  return proofs;
}

function formatEvent({ source, policyId, before, after }: LoggedSet, isWhole: boolean): string {
  return JSON.stringify([source, policyId, setText(after), isWhole && setText(before!)]);
}

function changeText(change: SentChange, isWhole: boolean): string {
  const [before, after] = [parseSet(change.before), parseSet(change.after)];
  const { source, policy_id: policyId } = change;
  return JSON.stringify([source, policyId, setText(after), isWhole && setText(before)]);
}

// Other kinds are looked at where a pair is: a service may keep what the body does not name, and log it or not.
function setText({ Databases: entries = [] }: PermissionSet): string {
  return JSON.stringify(listGrants({ Databases: entries }));
}

type Pair = { readonly change: SentChange; readonly event: LoggedSet };
/** Pairs as a chain from the last one, their number, and how far apart they are in all. */
type Chain = {
  readonly count: number;
  readonly apartMs: number;
  readonly pair?: Pair;
  readonly rest?: Chain;
};

// The best pairing of the first changes with the first events is found from those of fewer, row by row.
function listPairs(changes: readonly SentChange[], events: readonly LoggedSet[]): Pair[] {
  const inTime = events.toSorted((a, b) => a.timeMs - b.timeMs || (a.key < b.key ? -1 : 1));
  const none: Chain = { count: 0, apartMs: 0 };
  let best: Chain[] = [none, ...inTime.map(() => none)];
  for (const change of changes.toSorted((a, b) => getMadeMs(a) - getMadeMs(b))) {
    const row = [none];
    for (const [i, event] of inTime.entries()) {
      const without = chooseChain(best[i + 1]!, row[i]!);
      row.push(
        isMatch(change, event)
          ? chooseChain(extendChain(best[i]!, { change, event }), without)
          : without,
      );
    }
    best = row;
  }
  const pairs: Pair[] = [];
  for (let at: Chain | undefined = best.at(-1); at?.pair; at = at.rest) pairs.push(at.pair);
  return pairs;
}

function extendChain(rest: Chain, pair: Pair): Chain {
  const apartMs = Math.abs(pair.event.timeMs - getMadeMs(pair.change));
  return { count: rest.count + 1, apartMs: rest.apartMs + apartMs, pair, rest };
}

function chooseChain(one: Chain, other: Chain): Chain {
  if (one.count !== other.count) return one.count > other.count ? one : other;
  return one.apartMs <= other.apartMs ? one : other;
}

// When a change was made, by the service's clock where that is known: the log goes by it.
const getMadeMs = ({ made_from: from, sent_at: at }: SentChange): number => Date.parse(from ?? at);

// The event of a set that was read back has the time of the change. Of another one the service may have taken it later.
// Without a time of the service the clocks may differ by some minutes.
function getWindow(change: SentChange): { readonly fromMs: number; readonly untilMs: number } {
  const { made_from: from, made_until: until } = change;
  const fromMs = getMadeMs(change);
  if (from === undefined) return { fromMs: fromMs - 5 * minuteMs, untilMs: fromMs + 15 * minuteMs };
  const lastMs = until === undefined ? fromMs : Date.parse(until);
  return { fromMs, untilMs: isInPlace(change) ? lastMs : lastMs + 15 * minuteMs };
}

function isMatch(change: SentChange, { timeMs, email, userId, after }: LoggedSet): boolean {
  const { fromMs, untilMs } = getWindow(change);
  if (timeMs < fromMs || timeMs >= untilMs) return false;
  const own = change.api_user?.toLowerCase();
  const actor = own?.includes("@") ? email : userId;
  if (own !== undefined && actor !== null && actor !== own) return false;
  const [before, wanted] = [parseSet(change.before), parseSet(change.after)];
  return isSameSet(wanted, after) || isSameSet(withUnnamed(before, wanted), after);
}
