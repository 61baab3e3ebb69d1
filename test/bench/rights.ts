import { newRandom, type Random } from "../../fixtures/random.ts";
import { dayMs } from "./measure.ts";

// Five years of changes of rights in a company: what access reports are measured on.

/** How much happens. */
export type Size = { readonly policies: number; readonly users: number; readonly days: number };

type Fields = Readonly<Record<string, unknown>>;
type Sets = Map<string, Set<string>>;

const databases = 400;

/** The records of the log, in their order, and each policy's set on the first day of each month. */
export function listRights(
  size: Size,
  fromMs: number,
): {
  readonly records: readonly Fields[];
  readonly readings: readonly { readonly atMs: number; readonly sets: readonly string[] }[];
} {
  const random = newRandom(1, "rights");
  const sets: Sets = new Map(
    Array.from({ length: size.policies }, (_, i) => [String(1000 + i), new Set<string>()]),
  );
  const members = new Map<string, readonly [number, string]>();
  const records: Fields[] = [];
  const readings: { atMs: number; sets: string[] }[] = [];
  const add = (atMs: number, fields: Fields): void => {
    const time = Math.floor(atMs / 1000);
    records.push({ id: `r${records.length}`, time, user_id: random.int(1, 20), ...fields });
  };
  for (let i = 0; i < databases; i++)
    add(fromMs, { event_name: "database_create", resource_id: `${i}`, resource_name: `db${i}` });
  for (const id of sets.keys()) {
    add(fromMs + 1000, { event_name: "permission_policy_create", ...findNamed(id) });
    add(fromMs + 2000, edit(random, sets, id, 12));
  }
  for (let i = 0; i < size.users * 3; i++) add(fromMs + 3000 + i, attach(random, size, members));
  for (let day = 1; day < size.days; day++) {
    const atMs = fromMs + day * dayMs;
    for (let i = 0; i < 6; i++)
      add(atMs + random.int(0, dayMs - 1), edit(random, sets, random.pick([...sets.keys()]), 1));
    for (let i = 0; i < 20; i++)
      add(atMs + random.int(0, dayMs - 1), attach(random, size, members));
    if (day % 30 === 0)
      readings.push({ atMs: atMs + dayMs, sets: [...sets.values()].map(formatText) });
  }
  return { records: records.toSorted((a, b) => Number(a["time"]) - Number(b["time"])), readings };
}

const findNamed = (id: string): Fields => ({ resource_id: id, resource_name: `Policy ${id}` });

function edit(random: Random, sets: Sets, id: string, changes: number): Fields {
  const set = sets.get(id)!;
  const old_value = formatText(set);
  for (let i = 0; i < changes; i++) {
    const right = random.chance(0.02)
      ? random.pick(["manage", "download"])
      : `${random.pick(["query", "import", "edit"])}:${random.int(0, databases - 1)}`;
    if (changes === 1 && set.size > 8) set.delete(random.pick([...set]));
    else set.add(right);
  }
  return {
    event_name: "permission_policy_modify",
    ...findNamed(id),
    old_value,
    new_value: formatText(set),
  };
}

function formatText(set: ReadonlySet<string>): string {
  const byOperation = Map.groupBy(set, (right) => right.split(":")[0]!);
  const entries = [...byOperation].map(([operation, rights]) => {
    const ids = rights.flatMap((right) => right.split(":")[1] ?? []).join(",");
    return { operation, ...(ids === "" ? {} : { ids }) };
  });
  return JSON.stringify({ Databases: entries });
}

// As many leave as join, once everybody belongs to three policies.
function attach(
  random: Random,
  size: Size,
  members: Map<string, readonly [number, string]>,
): Fields {
  const isFull = members.size >= size.users * 3 && random.chance(0.5);
  const drawn = [
    random.int(1, size.users),
    String(1000 + random.int(0, size.policies - 1)),
  ] as const;
  const [user, policy] = isFull ? random.pick([...members.values()]) : drawn;
  const key = `${user} ${policy}`;
  const isMember = members.delete(key);
  if (!isMember) members.set(key, [user, policy]);
  const event_name = `permission_policy_${isMember ? "detach" : "attach"}_user`;
  return { event_name, ...findNamed(policy), affected_user_id: user };
}
