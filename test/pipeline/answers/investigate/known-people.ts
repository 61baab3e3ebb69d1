import type { Random } from "../../../../fixtures/random.ts";
import { type Fact, listFacts } from "../../../queries/oracle/record.ts";

// Generated records of two sources with their user lists, and what people did by rules of its own.

export type ListedUser = { readonly id: number; readonly email: string; readonly name: string };

/** The user lists of a source, one after the other: in the second one a user has another e-mail. */
export const userLists: readonly (readonly ListedUser[])[] = [
  [
    { id: 7, email: "ann@example.com", name: "Ann Berg" },
    { id: 8, email: "Bob@Example.com", name: '<b>"Bob"</b>' },
    { id: 9, email: "cleo@example.com", name: "Cleo" },
    { id: 11, email: "never@example.com", name: "Never Seen" },
  ],
  [
    { id: 7, email: "ann.olsen@example.com", name: "Ann Olsen" },
    { id: 8, email: "Bob@Example.com", name: '<b>"Bob"</b>' },
    { id: 9, email: "cleo@example.com", name: "Cleo" },
    { id: 11, email: "never@example.com", name: "Never Seen" },
  ],
];

export const startMs = Date.UTC(2026, 2, 1);
const hourMs = 3_600_000;
const names = ["sign_in", "sign_in_failed", "job_result_download", "job_issue", "unheard_of"];
const emails = [
  null,
  "",
  "Ann@example.com",
  "ann.olsen@example.com",
  "bob@example.com",
  "log.only@example.com",
  "beside@example.com",
  "a'b,c\"d\n@x",
];

/** Records over ten days; a service account has half of them. */
export function generateRecords(random: Random, source: string, count: number): object[] {
  return Array.from({ length: count }, (_, i) => {
    const isService = random.chance(0.5);
    const user_id = isService ? 30 : random.pick([null, null, 7, 8, 9, 21]);
    return {
      id: `${source}${i}`,
      time: Math.floor((startMs + random.int(0, 240) * hourMs + random.int(0, 4) * 900_000) / 1000),
      event_name: random.pick(names),
      user_id,
      user_email: isService
        ? "svc-etl@example.com"
        : user_id === 21
          ? random.pick([null, "beside@example.com"])
          : random.pick(user_id === null ? emails : emails.slice(0, 5)),
      ip_address: random.pick([null, "internal", "203.0.113.1", "203.0.113.2", "2001:db8::1"]),
      event_result: random.pick([null, "success", "denied"]),
      resource_name: random.pick(["sales.1", "hr.2", "plain"]),
      bytesize: random.pick([null, 0, 10, 5_000_000_000]),
    };
  });
}

export type KnownFact = Fact & { readonly source: string; readonly recorded: string | null };

/** The facts of records, with the e-mail as it was recorded, in lower case. */
export function describeRecords(records: readonly object[], source: string): KnownFact[] {
  const last = userLists.at(-1)!;
  return listFacts(records as Record<string, unknown>[], last).map((fact) => ({
    ...fact,
    source,
    recorded: (fact.text("user_email") || null)?.toLowerCase() ?? null,
  }));
}

const listed = (): { readonly id: string; readonly email: string; readonly list: number }[] =>
  userLists.flatMap((users, list) =>
    users.map(({ id, email }) => ({ id: String(id), email: email.toLowerCase(), list })),
  );

/** The events of the person whom an id or e-mail names, in one source. */
export function findOwn(facts: readonly KnownFact[], person: string): KnownFact[] {
  const ids = new Set<string>();
  if (/^\d+$/.test(person)) ids.add(person);
  for (const { id, email } of listed()) if (email === person) ids.add(id);
  for (const { userId, recorded } of facts)
    if (userId !== null && recorded === person) ids.add(userId);
  const own = new Set(listed().flatMap(({ id, email }) => (ids.has(id) ? [email] : [])));
  own.add(person);
  return facts.filter(({ userId, recorded }) =>
    userId === null ? recorded !== null && own.has(recorded) : ids.has(userId),
  );
}

/** The user of an event in a list of people: an id, otherwise an e-mail without a known id; undefined without both. */
export function findOwner(facts: readonly KnownFact[], fact: KnownFact): string | undefined {
  if (fact.userId !== null) return fact.userId;
  if (fact.recorded === null) return undefined;
  const having = listed().filter(({ email }) => email === fact.recorded);
  const current = having.filter(({ list }) => list === userLists.length - 1);
  const owners = (current.length > 0 ? current : having).map(({ id }) => Number(id));
  if (owners.length > 0) return String(Math.max(...owners));
  const beside = facts.flatMap(({ userId, recorded }) =>
    userId !== null && recorded === fact.recorded ? [Number(userId)] : [],
  );
  return beside.length > 0 ? String(Math.max(...beside)) : fact.recorded;
}

export const isRefused = ({ outcome }: Fact): boolean =>
  outcome === "denied" || outcome === "failed";

/** The bytes that a downloaded result has. */
export function countBytes(fact: Fact): number {
  return fact.canonical === "job_result_download" && fact.outcome === "succeeded"
    ? (fact.number("bytesize") ?? 0)
    : 0;
}
