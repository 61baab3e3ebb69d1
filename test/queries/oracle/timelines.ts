import { listChanges, type Change } from "./changes.ts";
import { listActivities, type Activity } from "./jobs.ts";
import { exportedJob } from "./downloads.ts";
import { membersAt } from "./policies.ts";
import { isDenial } from "./classify.ts";
import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import {
  dayMs,
  minuteMs,
  sort,
  stamp,
  within,
  type Oracle,
  type Params,
  type Row,
} from "./rows.ts";
import { tablesIn } from "./texts.ts";

/** One entry of a timeline: an event with its change of rights or its job. */
type Entry = {
  readonly fact: Fact;
  readonly change: Change | undefined;
  readonly job: Activity | undefined;
};

/** Whom sessions and first times are counted for; undefined for none. */
type PersonOf = (fact: Fact) => string | undefined;

const order =
  "event_time actor event_name entry object detail affected outcome ip_address operation database_name duration_seconds bytes tables_read tables_written query_text user_id session first_seen";
const sessionMs = 30 * minuteMs;

/** What an actor did and what touched them: by id or e-mail, through their rights and those of their policies. */
export const userTimeline: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const asked = String(params["user"]).toLowerCase().split(",");
  const people = asked
    .map((name) => name.trim())
    .toSorted()
    .map((name) => ({ name, ...buildIdentity(facts, users, params, name) }));
  // Who is asked for twice goes by the first of the names.
  const own = (f: Fact): string | undefined =>
    people.find(({ ids, emails }) =>
      f.userId === null ? emails.has(f.email?.toLowerCase() ?? "") : ids.has(f.userId),
    )?.name;
  const isAffected = (f: Fact): boolean =>
    people.some(
      ({ ids, emails }) =>
        ids.has(f.text("affected_user_id") ?? "") ||
        emails.has(f.text("affected_user")?.toLowerCase() ?? ""),
    );
  const touched = new Set(
    listChanges(facts, users)
      .filter((c) => people.some(({ ids }) => touches(c, ids, facts)))
      .map((c) => c.fact),
  );
  const isPicked = ({ fact }: Entry): boolean =>
    own(fact) !== undefined || isAffected(fact) || touched.has(fact);
  return timeline(records, users, params, isPicked, own);
};

/** Whatever came from an address. */
export const addressTimeline: Oracle = (records, users, params) => {
  const address = String(params["address"]).toLowerCase();
  const isPicked = ({ fact }: Entry): boolean => fact.ip?.toLowerCase() === address;
  return timeline(records, users, params, isPicked, getPerson);
};

/** Every name of a resource, or of its database. */
export const resourceTimeline: Oracle = (records, users, params) => {
  const wanted = String(params["resource"]).toLowerCase();
  const fields =
    "resource_id resource_name resource_path target_table target_resource_id target_resource_name";
  const isPicked = (entry: Entry): boolean =>
    [
      ...fields.split(" ").map((field) => entry.fact.text(field)),
      entry.change?.objectId ?? null,
      entry.change?.objectName ?? null,
      getDatabase(entry),
    ].some((name) => name?.toLowerCase() === wanted);
  return timeline(records, users, params, isPicked, getPerson);
};

/** Every status of a job. */
export const jobTimeline: Oracle = (records, users, params) => {
  const wanted = String(params["job"]);
  const isNamed = (name: string | null): boolean =>
    name === wanted || name?.endsWith(`.${wanted}`) === true;
  const isPicked = ({ fact }: Entry): boolean => {
    const [id, name] = [fact.text("resource_id"), fact.text("resource_name")];
    const isOwn = id === wanted || name === wanted || (id === null && isNamed(name));
    const isOfResult = exportedJob(fact) === wanted.slice(wanted.indexOf(".") + 1);
    return (fact.area === "Jobs" && isOwn) || isOfResult || isNamed(fact.text("job"));
  };
  return timeline(records, users, params, isPicked, getPerson);
};

function getPerson({ actor }: Fact): string | undefined {
  return actor === "unknown" ? undefined : actor;
}

type Identity = { readonly ids: ReadonlySet<string>; readonly emails: ReadonlySet<string> };

function buildIdentity(
  facts: readonly Fact[],
  users: readonly User[],
  params: Params,
  wanted: string,
): Identity {
  const around = facts.filter((f) => within(lookingBack(params), f.time));
  const listed = users.filter((u) => String(u.id) === wanted || u.email.toLowerCase() === wanted);
  const seen = facts.filter((f) => f.userId === wanted);
  const recorded = around.filter((f) => f.email?.toLowerCase() === wanted && f.userId !== null);
  const ids = new Set([
    ...listed.map((u) => String(u.id)),
    ...[...seen, ...recorded].map((f) => f.userId!),
  ]);
  const known = users.filter((u) => ids.has(String(u.id))).map((u) => u.email.toLowerCase());
  return { ids, emails: new Set(wanted.includes("@") ? [...known, wanted] : known) };
}

function touches(c: Change, ids: ReadonlySet<string>, facts: readonly Fact[]): boolean {
  if (c.subjectKind === "user") return ids.has(c.subjectId ?? "");
  return membersAt(facts, c.subjectId, c.fact.time).some((id) => ids.has(id));
}

function lookingBack(params: Params): Params {
  return { ...params, since: params.since - Number(params["days"] ?? 30) * dayMs };
}

function timeline(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
  isPicked: (entry: Entry) => boolean,
  person: PersonOf,
): Row[] {
  const facts = listFacts(records, users);
  const changes = Map.groupBy(listChanges(facts, users), (c) => c.fact);
  const jobs = new Map(
    listActivities(facts)
      .filter((a) => a.kind === "job")
      .map((a) => [a.fact, a]),
  );
  const entries = facts
    .filter((f) => within(params, f.time))
    .flatMap((fact): Entry[] =>
      (changes.get(fact) ?? [undefined]).map((change) => ({ fact, change, job: jobs.get(fact) })),
    )
    .filter(isPicked);
  const history = facts.filter((f) => within(lookingBack(params), f.time));
  const sessions = listSessions(
    entries.map((e) => e.fact),
    person,
  );
  const rows = entries.map((entry) => ({
    ...buildRow(entry),
    session: sessions.get(entry.fact) ?? null,
    first_seen: firstSeen(entry, history, facts, person),
  }));
  return sort(rows, order);
}

function buildRow(entry: Entry): Row {
  const { fact, change, job } = entry;
  const first = (fields: string): string | null =>
    fields
      .split(" ")
      .map((field) => fact.text(field))
      .find((value) => value !== null) ?? null;
  const named = change?.subjectId == null ? null : `${change.subjectKind} ${change.subjectId}`;
  const affectedId = fact.text("affected_user_id");
  return {
    event_time: stamp(fact.time),
    ...buildKind(entry),
    actor: fact.actor,
    event_name: fact.canonical ?? fact.name ?? "unknown",
    object:
      change?.objectName ??
      change?.objectId ??
      first(
        "resource_name resource_path target_resource_name target_table resource_id target_resource_id",
      ),
    outcome: fact.outcome,
    ip_address: fact.ip,
    affected:
      change?.subjectName ??
      named ??
      fact.text("affected_user") ??
      (affectedId === null ? null : `user ${affectedId}`),
    database_name: getDatabase(entry),
    duration_seconds: job?.seconds ?? null,
    bytes: fact.number("bytesize"),
    operation: fact.operation,
    tables_read: tableNames(job, false),
    tables_written: tableNames(job, true),
    query_text: fact.text("query_text") ?? job?.queryText ?? null,
    user_id: fact.userId,
  };
}

// Five tables by their names, and how many more; one without a database is in that of the job.
function tableNames(job: Activity | undefined, isWritten: boolean): string | null {
  const uses = tablesIn(job?.queryText ?? null).filter((each) => each.isWritten === isWritten);
  const databaseOfJob = job?.database?.toLowerCase() || null;
  const names = uses.map(({ database, table }) => {
    const own = database ?? databaseOfJob;
    return own === null ? table : `${own}.${table}`;
  });
  const all = [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const more = all.length > 5 ? ` and ${all.length - 5} more` : "";
  return all.length === 0 ? null : `${all.slice(0, 5).join(", ")}${more}`;
}

function buildKind({ fact, change, job }: Entry): { entry: string; detail: string | null } {
  if (isDenial(fact)) {
    const result = fact.text("event_result")?.trim().toLowerCase();
    return { entry: "denial", detail: fact.denialKind ?? (result || fact.outcome) };
  }
  if (change !== undefined)
    return { entry: "change", detail: [change.change, change.operation].filter(Boolean).join(" ") };
  if (job !== undefined) return { entry: "job", detail: job.status };
  return { entry: "event", detail: fact.text("attribute_name") };
}

function getDatabase({ fact, job }: Pick<Entry, "fact" | "job">): string | null {
  return job?.database?.toLowerCase() || databaseInName(fact);
}

function databaseInName(fact: Fact): string | null {
  if (/^database_(create|modify|delete)$/.test(fact.canonical ?? ""))
    return fact.text("resource_name")?.toLowerCase() || null;
  if (!["Jobs", "Table", "Bulk import", "File upload"].includes(fact.area ?? "")) return null;
  const name = fact.text("target_table") ?? fact.text("resource_name") ?? "";
  return name.includes(".") ? name.split(".")[0]!.toLowerCase() || null : null;
}

/** Numbers the sessions by their beginning; half an hour without anything ends one. */
function listSessions(facts: readonly Fact[], person: PersonOf): ReadonlyMap<Fact, number> {
  const started = new Map<Fact, readonly [number, string]>();
  for (const [who, own] of Map.groupBy(facts, person)) {
    if (who === undefined) continue;
    let [start, last] = [Number.NaN, Number.NaN];
    for (const fact of own.toSorted((a, b) => a.time - b.time)) {
      if (!(fact.time - last < sessionMs)) start = fact.time;
      last = fact.time;
      started.set(fact, [start, who]);
    }
  }
  const starts = new Map([...started.values()].map((key) => [JSON.stringify(key), key]));
  const inOrder = [...starts.values()].sort(
    ([a, x], [b, y]) => a - b || Buffer.compare(Buffer.from(x), Buffer.from(y)),
  );
  const numbers = new Map(inOrder.map((key, i) => [JSON.stringify(key), i + 1]));
  return new Map([...started].map(([fact, key]) => [fact, numbers.get(JSON.stringify(key))!]));
}

const getAddress = ({ ip }: Fact): string | null => (ip === "internal" ? null : ip);

// What this person had not done in the days before, and what no person ever had.
function firstSeen(
  entry: Entry,
  history: readonly Fact[],
  facts: readonly Fact[],
  person: PersonOf,
): string | null {
  const { fact } = entry;
  const who = person(fact);
  if (who === undefined) return null;
  const isFirst = (what: string | null, of: (f: Fact) => string | null): boolean => {
    if (what === null) return false;
    const own = history.filter((f) => of(f) === what && person(f) === who);
    return own.some((f) => f.time === fact.time) && own.every((f) => f.time >= fact.time);
  };
  const mark = (name: string, what: string | null, of: (f: Fact) => string | null): string[] => {
    if (!isFirst(what, of)) return [];
    const all = facts.filter((f) => of(f) === what);
    return [all.every((f) => f.time >= fact.time) ? `${name} of anyone` : name];
  };
  const operation = (f: Fact): string => f.operation ?? f.canonical ?? f.name ?? "unknown";
  const marks = [
    // The word `internal` is not an address.
    ...mark("address", getAddress(fact), getAddress),
    ...mark("database", getDatabase(entry), databaseInName),
    ...(isFirst(operation(fact), operation) ? ["operation"] : []),
  ];
  return marks.length === 0 ? null : marks.join(", ");
}
