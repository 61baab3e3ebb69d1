import { getName, type Fact } from "./record.ts";

/** A query job with its whole life, or one action on a saved query; times in milliseconds. */
export type Activity = {
  /** The event that represents it. */
  readonly fact: Fact;
  readonly kind: string;
  readonly time: number;
  readonly objectId: string | null;
  readonly objectName: string | null;
  readonly database: string | null;
  readonly userId: string | null;
  readonly actor: string;
  readonly ip: string | null;
  readonly jobType: string | null;
  readonly queryText: string | null;
  readonly targetTable: string | null;
  readonly isScheduled: boolean;
  readonly finishedAt: number | null;
  readonly seconds: number | null;
  readonly status: string | null;
  readonly killedBy: string | null;
};

const jobEvents = ["job_issue", "job_modify", "job_kill", "job_status_update_by_system"];
const savedQueryEvents = [
  "query_create",
  "query_clone",
  "query_modify",
  "query_run",
  "query_delete",
];
const unfinished = ["queued", "booting", "running"];

/**
 * Brings the events of each job together (seed 001, What the service does, rule 1), saved queries beside them. What was
 * denied or failed did nothing.
 */
export function listActivities(all: readonly Fact[]): Activity[] {
  const facts = all.filter((f) => f.outcome === "succeeded");
  const events = facts.filter((f) => jobEvents.includes(f.canonical ?? "") && getJobId(f) !== null);
  const jobs = Map.groupBy(events, (f) => getJobId(f));
  return [
    ...[...jobs].map(([id, own]) => buildJob(id, own)),
    ...facts.filter((f) => savedQueryEvents.includes(f.canonical ?? "")).map(buildSavedQuery),
  ];
}

function buildJob(id: string | null, own: readonly Fact[]): Activity {
  // The issue speaks for the job; without it the first event does.
  const events = own.toSorted(
    (a, b) =>
      Number(a.canonical !== "job_issue") - Number(b.canonical !== "job_issue") ||
      a.time - b.time ||
      ((a.canonical ?? "") < (b.canonical ?? "") ? -1 : 1),
  );
  const first = events[0]!;
  const readGiven = (field: string): string | null =>
    events.map((f) => f.text(field)).find((value) => value !== null) ?? null;
  const issued = earliest(events.filter((f) => f.canonical === "job_issue"));
  const started = earliest(events.filter((f) => getStatus(f) === "running"));
  const { status, finishedAt, killer } = buildEnd(events);
  const start = started ?? issued;
  const name = readGiven("resource_name");
  return {
    fact: first,
    kind: "job",
    time: issued ?? earliest(events)!,
    objectId: id,
    objectName: name,
    database:
      (name?.includes(".")
        ? name.slice(0, name.indexOf("."))
        : databaseInPath(events)
      )?.toLowerCase() ?? null,
    userId: first.userId,
    actor: first.actor,
    ip: first.ip,
    jobType: readGiven("job_type"),
    queryText: readGiven("query_text"),
    targetTable: readGiven("target_table"),
    isScheduled: readGiven("scheduled_time") !== null,
    finishedAt,
    seconds:
      start === null || finishedAt === null || finishedAt < start
        ? null
        : Math.floor(finishedAt / 1000) - Math.floor(start / 1000),
    status,
    killedBy:
      killer && (killer.email ?? killer.userId) !== null
        ? getName(killer.email, killer.userId)
        : null,
  };
}

type End = {
  readonly status: string;
  readonly finishedAt: number | null;
  readonly killer: Fact | undefined;
};

// Read word by word. Inside a second a kill comes after a start, and an end after both.
function buildEnd(events: readonly Fact[]): End {
  const rank = (f: Fact): number => {
    if (f.canonical === "job_kill") return 1;
    return unfinished.includes(getStatus(f)!) ? 0 : 2;
  };
  const words = events
    .filter((f) => f.canonical === "job_kill" || getStatus(f) !== null)
    .toSorted(
      (a, b) =>
        a.time - b.time ||
        rank(a) - rank(b) ||
        (`${a.canonical} ${getStatus(a)}` < `${b.canonical} ${getStatus(b)}` ? -1 : 1),
    );
  let [status, finishedAt, hasEnded] = ["issued", null as number | null, false];
  let kills: Fact[] = [];
  for (const word of words) {
    const said = getStatus(word);
    if (said === null) {
      kills.push(word);
      if (!hasEnded) [status, finishedAt] = ["killed", word.time];
      continue;
    }
    const goesOn = unfinished.includes(said);
    // It runs again: an earlier kill did not end this run.
    if (goesOn && hasEnded) kills = [];
    [status, finishedAt, hasEnded] = [said, goesOn ? null : word.time, !goesOn];
  }
  const [first] = kills;
  if (first === undefined || finishedAt === null) return { status, finishedAt, killer: undefined };
  const isTheirs = status === "killed" || first.time <= finishedAt;
  return { status, finishedAt, killer: isTheirs ? first : undefined };
}

function getStatus(fact: Fact): string | null {
  if (fact.canonical !== "job_modify" && fact.canonical !== "job_status_update_by_system")
    return null;
  if ((fact.text("attribute_name") ?? "status") !== "status") return null;
  const value = fact.text("new_value");
  if (value !== null) return value.replace(/^[ "]+|[ "]+$/g, "").toLowerCase();
  if (fact.operation === "POST /v3/job/started/:id") return "running";
  return fact.operation === "POST /v3/job/finished/:id" ? "finished" : null;
}

// A job's name reads database.job_id.
function getJobId(fact: Fact): string | null {
  return fact.text("resource_id") ?? fact.text("resource_name")?.split(".").at(-1) ?? null;
}

function databaseInPath(events: readonly Fact[]): string | null {
  const positions = new Map([
    ["POST /v3/job/issue/:type/:database", 4],
    ["POST /v3/export/run/:database_name/:table_name", 3],
  ]);
  const names = events.flatMap((f) => {
    const position = positions.get(f.operation ?? "");
    if (position === undefined) return [];
    const segment = f.path?.replace(/^\/+/, "").split("/")[position];
    return [segment?.replace(/[?.].*$/s, "") ?? ""];
  });
  return names.find((name) => name !== "") ?? null;
}

function buildSavedQuery(fact: Fact): Activity {
  return {
    fact,
    kind: fact.canonical!,
    time: fact.time,
    objectId: fact.text("resource_id"),
    objectName: fact.text("resource_name"),
    database: null,
    userId: fact.userId,
    actor: fact.actor,
    ip: fact.ip,
    jobType: fact.text("job_type"),
    queryText: fact.text("query_text"),
    targetTable: fact.text("target_table"),
    isScheduled: fact.text("scheduled_time") !== null,
    finishedAt: null,
    seconds: null,
    status: null,
    killedBy: null,
  };
}

function earliest(facts: readonly Fact[]): number | null {
  return facts.length === 0 ? null : Math.min(...facts.map((f) => f.time));
}
