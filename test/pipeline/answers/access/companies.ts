import type { Random } from "../../../../fixtures/random.ts";

// Random companies of one policy each, with a table of what its members did that knows what each use needed.

const daySeconds = 86_400;
export const nowMs = Date.UTC(2026, 5, 1);
export const unusedDays = 90;

/** One use: any of these operations was needed, on that database; null where no event names it so. */
export type TrueUse = {
  readonly user: number;
  readonly needs: readonly string[];
  readonly database: string | null;
  readonly isOwn: boolean;
  readonly isRecent: boolean;
};

export type Company = {
  readonly policy: string;
  readonly members: readonly number[];
  /** Operation and id, as `query:7` or `manage`. */
  readonly held: readonly string[];
  readonly uses: readonly TrueUse[];
  readonly records: readonly object[];
};

type Kind = {
  readonly needs: readonly string[];
  readonly fields: (name: string, id: string) => object;
};

const findNamed = (name: string): object => ({ resource_name: `${name}.t`, resource_id: "1" });
const kinds: readonly Kind[] = [
  { needs: ["query"], fields: (name) => ({ event_name: "table_preview", ...findNamed(name) }) },
  { needs: ["edit"], fields: (name) => ({ event_name: "table_delete", ...findNamed(name) }) },
  {
    needs: ["import"],
    fields: (name) => ({ event_name: "bulk_import_finished", target_table: `${name}.t` }),
  },
  {
    needs: ["download", "query"],
    fields: (name) => ({ event_name: "job_result_download", resource_name: `${name}.9` }),
  },
  {
    needs: ["edit", "import"],
    fields: (name) => ({ event_name: "table_create", ...findNamed(name) }),
  },
];

/** A company whose ids begin with its number. */
export function makeCompany(random: Random, number: number): Company {
  const records: object[] = [];
  const now = nowMs / 1000;
  const add = (ago: number, fields: object): void =>
    void records.push({ id: `${number}-${records.length}`, time: now - ago, ...fields });
  const members = Array.from({ length: random.int(1, 3) }, (_, i) => number * 10 + i);
  const databases = [0, 1, 2].map((i) => `${number}${i}`);
  const makers = databases.map((id) => {
    const user_id = random.chance(0.3) ? random.pick(members) : 1;
    const event = { event_name: "database_create", resource_id: id, resource_name: `DB${id}` };
    add(400 * daySeconds, { ...event, user_id });
    return user_id;
  });
  const held = makeRights(random, databases);
  const policy = String(100_000 + number);
  add(399 * daySeconds, { event_name: "permission_policy_create", resource_id: policy });
  const values = { old_value: '{"Databases":[]}', new_value: getSet(held) };
  add(398 * daySeconds, { event_name: "permission_policy_modify", resource_id: policy, ...values });
  for (const affected_user_id of members)
    add(397 * daySeconds, {
      event_name: "permission_policy_attach_user",
      resource_id: policy,
      affected_user_id,
    });
  const uses = Array.from({ length: random.int(0, 8) }, (): TrueUse => {
    const kind = random.pick(kinds);
    const user = random.pick(members);
    const place = random.int(0, databases.length);
    const [id, maker] = [databases[place], makers[place]];
    const daysAgo = random.int(1, 300);
    // The case of letters in a name makes no other database of it.
    const name = id === undefined ? `nowhere${number}` : random.pick([`db${id}`, `DB${id}`]);
    add(daysAgo * daySeconds, { user_id: user, ...kind.fields(name, id ?? "") });
    return {
      user,
      needs: kind.needs,
      database: id ?? null,
      isOwn: maker === user,
      isRecent: daysAgo <= unusedDays,
    };
  });
  // To make a database is a use, too.
  const made = databases.flatMap((id, i): TrueUse[] =>
    members.includes(makers[i]!)
      ? [
          {
            user: makers[i]!,
            needs: ["owner_manage", "manage"],
            database: id,
            isOwn: true,
            isRecent: false,
          },
        ]
      : [],
  );
  return { policy, members, held, uses: [...uses, ...made], records };
}

function makeRights(random: Random, databases: readonly string[]): string[] {
  const whole = ["manage", "download", "owner_manage"].filter(() => random.chance(0.25));
  const single = ["query", "import", "edit"].flatMap((operation) =>
    databases.filter(() => random.chance(0.5)).map((id) => `${operation}:${id}`),
  );
  return [...whole, ...single];
}

function getSet(held: readonly string[]): string {
  const byOperation = Object.groupBy(held, (right) => right.split(":")[0]!);
  const entries = Object.entries(byOperation).map(([operation, rights]) => {
    const ids = rights!.flatMap((right) => right.split(":")[1] ?? []).join(",");
    return ids === "" ? { operation } : { operation, ids };
  });
  return JSON.stringify({ Databases: entries });
}
