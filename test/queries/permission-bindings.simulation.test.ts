import { afterAll, beforeAll, expect, it } from "vitest";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { newRemote, type Remote } from "../support/remote.ts";
import type { Row } from "../support/rows.ts";

// Entries of permission sets have further, undocumented members. Policies are drawn whose entries gain, lose and change
// such members, and that are written each time in another order. A right is the content of an entry, in any order: the
// oracle compares it as sets of sets.

const seed = 20261129;
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const changes = 4;
const policies = Array.from({ length: 40 }, (_, i) => String(i + 1));

type Member = string | number | boolean | null | readonly (string | number)[];
type Entry = {
  readonly operation: string;
  readonly ids: readonly string[];
  readonly members: Readonly<Record<string, Member>>;
};
type Kinds = Readonly<Record<string, readonly Entry[]>>;

function makeEntry(random: Random): Entry {
  const operation = random.pick(["query", "import", "edit"]);
  const ids = [["1"], ["1", "2"], []][random.int(0, 2)]!;
  return { operation, ids, members: makeMembers(random) };
}

function makeMembers(random: Random): Entry["members"] {
  const drawn: (readonly [string, Member])[] = [
    ["audience_id", random.pick([5, "5", 6])],
    ["columns", random.pick([["a", "b"], ["b", "c", "a"], ["a, b"], []])],
    ["masking", random.pick(["hash", "", null])],
    ["is_masked", random.chance(0.5)],
    [`unheard:of ${random.int(1, 2)}`, random.pick([1.5, "x; y: z", [1, 2], ["\\", "é"]])],
  ];
  return Object.fromEntries(drawn.filter(() => random.chance(0.35)));
}

function makeKinds(random: Random): Kinds {
  const entries = (): Entry[] => Array.from({ length: random.int(0, 3) }, () => makeEntry(random));
  return { Databases: entries(), ...(random.chance(0.4) ? { Tomorrow: entries() } : {}) };
}

/** A set that differs in few of its entries, members or ids. */
function changeBinding(kinds: Kinds, random: Random): Kinds {
  const change = (entry: Entry): Entry[] => {
    const dice = random.next();
    if (dice < 0.5) return [entry];
    if (dice < 0.6) return [];
    if (dice < 0.7) return [{ ...entry, members: makeMembers(random) }];
    const kept = Object.entries(entry.members).filter(() => random.chance(0.5));
    return [{ ...entry, members: Object.fromEntries(kept) }];
  };
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, entries]) => [kind, entries.flatMap(change)]),
  );
}

/** The JSON text of a set with everything that has no order in a random one. */
function write(kinds: Kinds, random: Random): string {
  const shuffle = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, rank: random.next() }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  const entry = ({ operation, ids, members }: Entry): object => {
    const parts: [string, unknown][] = [
      ["operation", operation],
      ...(ids.length > 0 || random.chance(0.2)
        ? [["ids", shuffle(ids).join(",")] as [string, unknown]]
        : []),
      ...Object.entries(members).map(([key, value]): [string, unknown] => [
        key,
        Array.isArray(value) ? shuffle(value as readonly unknown[]) : value,
      ]),
    ];
    return Object.fromEntries(shuffle(parts));
  };
  return JSON.stringify(
    Object.fromEntries(
      shuffle(Object.entries(kinds)).map(([kind, entries]) => [kind, shuffle(entries).map(entry)]),
    ),
  );
}

// A right with everything that binds it, as one text.
function listRights(
  kinds: Kinds,
): Map<string, readonly [kind: string, operation: string, id: string]> {
  const rights = Object.entries(kinds).flatMap(([kind, entries]) =>
    entries.flatMap(({ operation, ids, members }) => {
      const bound = Object.entries(members)
        .map(([key, value]) => {
          const items = (Array.isArray(value) ? value : [value]) as readonly Member[];
          const texts = items.filter((item) => item !== null && item !== "").map(String);
          return [key, [...new Set(texts)].toSorted()] as const;
        })
        .filter(([, texts]) => texts.length > 0)
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
      return (ids.length === 0 ? [""] : ids).map((id) => {
        const what = [kind, operation, id] as const;
        return [JSON.stringify([what, bound]), what] as const;
      });
    }),
  );
  return new Map(rights);
}

const differences = (before: Kinds, after: Kinds): string[] => {
  const [old, now] = [listRights(before), listRights(after)];
  const gone = [...old].filter(([text]) => !now.has(text)).map(([, what]) => ["revoked", ...what]);
  const come = [...now].filter(([text]) => !old.has(text)).map(([, what]) => ["granted", ...what]);
  return [...gone, ...come].map((line) => line.join(" ")).toSorted();
};

type Played = { readonly id: string; readonly states: readonly Kinds[]; readonly shown: Kinds };
const played = policies.map((id): Played => {
  const random = newRandom(seed, `policy ${id}`);
  const states = [makeKinds(random)];
  while (states.length <= changes) states.push(changeBinding(states.at(-1)!, random));
  const last = states.at(-1)!;
  return { id, states, shown: random.chance(0.5) ? last : changeBinding(last, random) };
});

let remote: Remote;
beforeAll(async () => {
  remote = await newRemote((noonS + 3600) * 1000);
  const random = newRandom(seed, "writing");
  const records = played.flatMap(({ id, states }) =>
    states.slice(1).map((state, i) => ({
      id: `${id}-${i}`,
      time: noonS + 60 * i,
      event_name: "permission_policy_modify",
      resource_id: id,
      resource_name: `Policy ${id}`,
      attribute_name: "permissions",
      old_value: write(states[i]!, random),
      new_value: write(state, random),
    })),
  );
  expect(await remote.home.load(records)).toMatchObject({ code: 0 });
  await remote.serve([]);
  remote.fault((request, response) => {
    const [, id] = /policies\/(\d+)\/permissions/.exec(request.url ?? "")!;
    response.setHeader("date", new Date(remote.clock.nowMs).toUTCString());
    response.writeHead(200, { "content-type": "application/json" });
    response.end(write(played.find((one) => one.id === id)!.shown, random));
    return true;
  });
  const world = { env: remote.env(), now: () => remote.clock.nowMs };
  const { code, err } = await remote.home.run(["policy", "snapshot", ...policies], world);
  expect(code, err).toBe(0);
});
afterAll(() => remote[Symbol.asyncDispose]());

const formatLines = (rows: readonly Row[], id: string): string[] =>
  rows
    .filter((row) => row["policy_id"] === id)
    .map((row) => String(row["line"]))
    .toSorted();

it(`every change of a further member is a grant or a revocation, and a new order is not, seed ${seed}`, async () => {
  const rows = await remote.home.rows(`
    select subject_id || '-' || date_diff('minute', timestamp '2026-03-02 12:00:00', event_time) as policy_id,
        concat_ws(' ', change, resource_kind, operation, coalesce(object_id, '')) as line
    from permission_changes`);
  for (const { id, states } of played)
    for (const [i, state] of states.slice(1).entries())
      expect({ id, i, lines: formatLines(rows, `${id}-${i}`) }).toEqual({
        id,
        i,
        lines: differences(states[i]!, state),
      });
  expect(rows.length).toBeGreaterThan(100);
});

it(`a snapshot agrees with the log if both have the same content in another order, seed ${seed}`, async () => {
  const on = new Date(remote.clock.nowMs + 60_000).toISOString();
  const argv = ["report", "run", "permission_drift", "--param", `on=${on}`, "--format", "json"];
  const { code, out, err } = await remote.home.run(argv);
  expect(code, err).toBe(0);
  const words: Readonly<Record<string, string>> = {
    "only in the log": "revoked",
    "only in the snapshot": "granted",
  };
  const rows = (JSON.parse(out) as Row[]).map((row) => ({
    policy_id: row["policy_id"]!,
    line: [
      words[String(row["difference"])],
      row["resource_kind"],
      row["operation"],
      row["object_id"] ?? "",
    ].join(" "),
  }));
  for (const { id, states, shown } of played)
    expect({ id, lines: formatLines(rows, id) }).toEqual({
      id,
      lines: differences(states.at(-1)!, shown),
    });
  expect(rows.length).toBeGreaterThan(10);
});
