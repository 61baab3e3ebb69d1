import { afterAll, beforeAll, expect, it } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { newRemote, type Remote } from "../support/remote.ts";
import type { Row } from "../support/rows.ts";

// Whether a policy exists at a moment, and whether any record shows its rights then. Policies are drawn that existed
// before the log or not, and are deleted and created again under their ids. They do so several times in one second, and
// their creation or deletion may be missing in the log. Snapshots are taken between.

const seed = 20261127;
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const minutes = 12;
// Half a minute after their records in the log.
const snapshots = [3, 8];
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';

type PolicyEvent = { readonly minute: number; readonly event: string };
/** In the order in which it happened; `isLogged` is false for what is missing in the log. */
type Happened = PolicyEvent & { readonly isLogged: boolean };

/** What happens to a policy, none of which contradicts another. */
function draw(policy: number): Happened[] {
  const random = newRandom(seed, `policy ${policy}`);
  const all: Happened[] = [];
  let isThere = random.chance(0.5);
  // The first record of an existence without a logged beginning shows that it exists, if it is alone.
  let isKnown: boolean = false;
  for (let minute = 0; minute < minutes; minute++) {
    if (!random.chance(0.4)) continue;
    const count: number = isKnown ? random.pick([1, 1, 1, 2, 3]) : 1;
    for (let i = 0; i < count; i++) {
      const event = isThere
        ? random.pick(["attach_user", "attach_user", "delete", count === 1 ? "modify" : "delete"])
        : "create";
      const isTurn = event === "create" || event === "delete";
      const isLogged: boolean = !isTurn || count > 1 || random.chance(0.7);
      if (isTurn) isThere = event === "create";
      all.push({ minute, event, isLogged });
      isKnown = isLogged;
    }
  }
  return all;
}

type Policy = {
  readonly id: string;
  readonly happened: readonly Happened[];
  /** The minutes in which a snapshot is taken of it. */
  readonly read: readonly number[];
};

const policies = Array.from({ length: 90 }, (_, i): Policy => {
  const random = newRandom(seed, `snapshots ${i + 1}`);
  const read = snapshots.filter(() => random.chance(0.3));
  return { id: String(i + 1), happened: draw(i + 1), read };
});
// One is snapshot only where the log names it.
const known = policies.filter(({ happened }) => happened.some(({ isLogged }) => isLogged));

/** Whether it exists by the records until the end of a minute, and initially by the first record. */
function isThereBy(events: readonly PolicyEvent[], minute: number): boolean {
  const last = events.findLast((one) => one.minute <= minute);
  return last === undefined
    ? !["create", "not shown"].includes(events[0]!.event)
    : !isEnd(last.event);
}

const isEnd = (event: string): boolean => event === "delete" || event === "not shown";

/** Lists its records in the log and in the snapshots, which are taken of what happened. */
function listMessages({ happened, read }: Policy): PolicyEvent[] {
  const shown = read.map((minute) => ({
    minute: minute + 0.5,
    event: isThereBy(happened, minute) ? "shown" : "not shown",
  }));
  const logged = happened.filter(({ isLogged }) => isLogged);
  return [...logged, ...shown].toSorted((a, b) => a.minute - b.minute);
}

type State = "deleted" | "known" | "unknown";

function stateAt(events: readonly PolicyEvent[], minute: number): State {
  if (!isThereBy(events, minute)) return "deleted";
  const [before, behind] = [
    events.filter((one) => one.minute <= minute),
    events.filter((one) => one.minute > minute),
  ];
  const from = before.findLastIndex(({ event }) => isEnd(event)) + 1;
  const to = behind.findIndex(({ event }) => isEnd(event) || event === "create");
  const ofLife = [...before.slice(from), ...behind.slice(0, to === -1 ? undefined : to)];
  const stating = ["modify", "create", "shown"];
  return ofLife.some(({ event }) => stating.includes(event)) ? "known" : "unknown";
}

/** Makes the same records of a policy and of a database with its id, but no members of a database. */
function listRecords({ id, happened }: Policy): object[] {
  const logged = happened.filter(({ isLogged }) => isLogged);
  return logged.flatMap(({ minute, event }, i) => {
    const common = { time: noonS + 60 * minute, resource_id: id, resource_name: `Temp ${id}` };
    const joined = event === "attach_user" ? { affected_user_id: 100 + i } : {};
    const set = event === "modify" ? setToQuery : {};
    const policy = {
      id: `${id}-${i}`,
      event_name: `permission_policy_${event}`,
      ...joined,
      ...set,
    };
    const database = {
      id: `d-${id}-${i}`,
      event_name: `database_${event.replace("attach_user", "modify")}`,
    };
    return [policy, database].map((record) => ({ ...common, ...record }));
  });
}
const setToQuery = { attribute_name: "permissions", old_value: "{}", new_value: query };

/** Returns the set that the service shows of it, undefined if it was deleted. */
function setAt({ happened }: Policy, minute: number): string | undefined {
  if (!isThereBy(happened, minute)) return undefined;
  const before = happened.filter((one) => one.minute <= minute);
  const life = before.slice(before.findLastIndex(({ event }) => event !== "modify") + 1);
  return life.length > 0 ? query : '{"Databases":[]}';
}

let remote: Remote;
beforeAll(async () => {
  remote = await newRemote(noonS * 1000);
  // In one second the log has them in any order.
  const random = newRandom(seed, "order");
  const records = known.flatMap(listRecords).map((record) => ({ record, rank: random.next() }));
  const shuffled = records.toSorted((a, b) => a.rank - b.rank).map(({ record }) => record);
  expect(await remote.home.load(shuffled)).toMatchObject({ code: 0 });
  await remote.serve([]);
  for (const minute of snapshots) {
    remote.clock.nowMs = (noonS + 60 * minute + 30) * 1000;
    remote.fault((request, response) => {
      const [, id] = /policies\/(\d+)\/permissions/.exec(request.url ?? "")!;
      const set = setAt(
        known.find((policy) => policy.id === id)!,
        minute,
      );
      response.setHeader("date", new Date(remote.clock.nowMs).toUTCString());
      response.writeHead(set === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(set ?? "{}");
      return true;
    });
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    const ids = known.filter(({ read }) => read.includes(minute)).map(({ id }) => id);
    const { code, err } = await remote.home.run(["policy", "snapshot", ...ids], world);
    expect(code, err).toBe(0);
  }
});
afterAll(() => remote[Symbol.asyncDispose]());

const stamp = (minute: number): string => new Date((noonS + 60 * minute) * 1000).toISOString();

async function ask(...argv: string[]): Promise<{ rows: Row[]; err: string }> {
  const { code, out, err } = await remote.home.run([...argv, "--format", "json"]);
  expect(code, err).toBe(0);
  return { rows: JSON.parse(out) as Row[], err };
}

function statesOf(rows: readonly Row[], isKnown: (row: Row) => boolean): Record<string, State> {
  return Object.fromEntries(
    rows.map((row) => [row["policy_id"], isKnown(row) ? ("known" as const) : ("unknown" as const)]),
  );
}

it.each([-1, 0, 2, 4, 6, 8, 10, minutes])(
  `every access path reports the same state for policies of seed ${seed}, in minute %i`,
  async (minute) => {
    const states = known.map(
      (policy) => [policy.id, stateAt(listMessages(policy), minute)] as const,
    );
    const there = Object.fromEntries(states.filter(([, state]) => state !== "deleted"));
    const unknownCount = states.filter(([, state]) => state === "unknown").length;
    const on = stamp(minute);
    const listed = await ask("policy", "list", "--on", on);
    expect(statesOf(listed.rows, (row) => row["permissions"] !== null)).toEqual(there);
    const report = await ask("report", "run", "effective_permissions", "--param", `on=${on}`);
    expect(statesOf(report.rows, (row) => row["known_from"] !== "not told")).toEqual(there);
    const note =
      unknownCount === 1
        ? /permissions of policy .* are in neither/
        : new RegExp(`permissions of ${unknownCount} policies`);
    for (const { err } of [listed, report])
      expect(err).toMatch(unknownCount === 0 ? /^(?!.*neither log nor snapshots)/s : note);
  },
);

it("the views show whether policies and databases exist after all events", async () => {
  const gone = (kind: string): Promise<Row[]> =>
    remote.home.rows(`
      select ${kind}_id as id from ${kind === "policy" ? "policies" : "databases"}
      where deleted_at is not null order by length(id), id`);
  const goneBy = (events: (policy: Policy) => readonly PolicyEvent[]): object[] =>
    known.filter((policy) => !isThereBy(events(policy), minutes)).map(({ id }) => ({ id }));
  expect(await gone("policy")).toEqual(goneBy(listMessages));
  const listLogged = ({ happened }: Policy): PolicyEvent[] =>
    happened.filter(({ isLogged }) => isLogged);
  expect(await gone("database")).toEqual(goneBy(listLogged));
});

it("the generator draws policies of each kind, and existence intervals that differ", () => {
  const seen = known.map((policy) =>
    [...Array(minutes + 1).keys()].map((minute) => stateAt(listMessages(policy), minute)),
  );
  for (const state of ["deleted", "known", "unknown"] as const)
    expect(seen.flat().filter((one) => one === state).length).toBeGreaterThan(50);
  expect(
    seen.filter((all) => all.includes("known") && all.includes("unknown")).length,
  ).toBeGreaterThan(5);
});
