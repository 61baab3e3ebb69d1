/** Runs a query and gives its rows as objects. */
export type RunQuery = (sql: string) => Promise<Record<string, unknown>[]>;

type EvidenceEvent = Readonly<Record<string, string | null>>;

type ShownFinding = {
  readonly finding: EvidenceEvent;
  readonly measures: readonly { name: string; value: number; limit: number }[];
  /** By time. */
  readonly events: readonly EvidenceEvent[];
};

const hourMs = 3_600_000;

/** How a measure follows from the evidence, within a time; `least`: the evidence has at least as many events. */
type Counter = {
  readonly withinMs: number;
  readonly count: (events: readonly EvidenceEvent[]) => number;
  readonly isLeast?: true;
};

const countAll = (events: readonly EvidenceEvent[]): number => events.length;
const countOutcome =
  (outcome: string) =>
  (events: readonly EvidenceEvent[]): number =>
    events.filter((event) => event["outcome"] === outcome).length;
const countDistinct =
  (...columns: string[]) =>
  (events: readonly EvidenceEvent[]): number =>
    new Set(events.map((event) => columns.map((name) => event[name]).join(" "))).size;
const listDownloads = (events: readonly EvidenceEvent[]): readonly EvidenceEvent[] =>
  events.filter((event) => event["canonical_name"] === "job_result_download");
const sumBytes = (events: readonly EvidenceEvent[]): number =>
  listDownloads(events).reduce((sum, event) => sum + Number(event["bytesize"] ?? 0), 0);

const counters: Readonly<Record<string, Counter>> = {
  "api_keys_harvested owners": { withinMs: hourMs, count: countAll, isLeast: true },
  "blocked_sign_ins blocked": { withinMs: hourMs, count: countAll },
  "denied_then_allowed denials": {
    withinMs: 24 * hourMs,
    count: countOutcome("denied"),
    isLeast: true,
  },
  "failed_sign_ins_then_success failures": { withinMs: hourMs / 4, count: countOutcome("failed") },
  "grant_then_download downloads": {
    withinMs: 24 * hourMs,
    count: (events) => listDownloads(events).length,
    isLeast: true,
  },
  "hidden_columns_probed columns": {
    withinMs: 24 * hourMs,
    count: countDistinct("resource_type", "resource_id"),
  },
  "large_downloads bytes": { withinMs: 24 * hourMs, count: sumBytes },
  "many_networks networks": { withinMs: hourMs, count: countAll, isLeast: true },
  "mass_deletion deletions": { withinMs: hourMs, count: countAll, isLeast: true },
  "mass_permission_changes changes": { withinMs: hourMs, count: countAll },
  "password_spraying accounts": { withinMs: hourMs, count: countDistinct("account") },
  "repeated_denials denials": { withinMs: hourMs, count: countAll },
  "self_grant_then_download downloads": {
    withinMs: 4 * hourMs,
    count: (events) => listDownloads(events).length,
  },
  "self_grant_then_download megabytes": {
    withinMs: 4 * hourMs,
    count: (events) => Math.floor(sumBytes(events) / 1e6),
  },
  "slow_password_guessing failures": { withinMs: 24 * hourMs, count: countAll },
};

// What is not counted in events: days of silence, and the ratio of a number to the usual one.
const uncounted = new Set(["silent_days", "times_usual"]);
// These end with something that no event of the log states: a silence, a right that was lost without being revoked.
const ofAbsence = new Set([
  "silent_event",
  "unexplained_right",
  "grant_then_download",
  "short_rights_used",
]);

/** Complaints about findings whose sentence, times, measures or subject do not agree with their evidence. */
export async function findDisagreements(query: RunQuery): Promise<string[]> {
  const shown = await readShown(query);
  return shown.flatMap(({ finding, measures, events }) => {
    const complain = [
      ...complainOfTimes(finding, events),
      ...measures.flatMap((measure) => complainOfMeasure(finding, measure, events)),
      ...complainOfSubject(finding, events),
    ];
    return complain.map((each) => `${finding["detection"]} ${finding["finding_id"]}: ${each}`);
  });
}

async function readShown(query: RunQuery): Promise<ShownFinding[]> {
  const findings = await query(
    `select finding_id, detection, message, subject_kind, subject, key, measures, epoch_ms(first_at) as first_ms,
       epoch_ms(last_at) as last_ms
     from findings where state <> 'withdrawn' order by finding_id`,
  );
  const events = await query(
    `select f.finding_id, epoch_ms(e.event_time) as time_ms, e.canonical_name, e.outcome, e.user_id, e.actor,
       e.ip_address, e.resource_type, e.resource_id, e.bytesize, coalesce(cast(e.user_id as varchar), e.actor) as account,
       lower(cast(to_json(e) as varchar)) as whole
     from finding_events as f inner join events as e on e.event_key = f.event_key and e.event_time = f.event_time
     order by e.event_time, e.event_key`,
  );
  const byFinding = Map.groupBy(events as EvidenceEvent[], (event) => event["finding_id"]);
  return (findings as EvidenceEvent[]).map((finding) => ({
    finding,
    measures: JSON.parse(finding["measures"]!) as ShownFinding["measures"],
    events: byFinding.get(finding["finding_id"]!) ?? [],
  }));
}

function complainOfTimes(finding: EvidenceEvent, events: readonly EvidenceEvent[]): string[] {
  const isAbsent = ofAbsence.has(finding["detection"]!);
  if (events.length === 0) return isAbsent ? [] : ["no evidence"];
  const isFirst = finding["first_ms"] === events[0]!["time_ms"];
  const isLast = isAbsent || finding["last_ms"] === events.at(-1)!["time_ms"];
  return isFirst && isLast ? [] : ["its times are not those of its evidence"];
}

function complainOfMeasure(
  { detection, message }: EvidenceEvent,
  { name, value, limit }: ShownFinding["measures"][number],
  events: readonly EvidenceEvent[],
): string[] {
  if (value < limit) return [`${name} ${value} is below its limit ${limit}`];
  if (uncounted.has(name)) return [];
  const counter = counters[`${detection} ${name}`];
  if (counter === undefined) return [`${name} is counted by nothing`];
  const counted = Math.max(0, ...events.map((last) => countUpTo(last, events, counter)));
  const agrees = counter.isLeast ? counted >= value : counted === value;
  return agrees ? [] : [`${name} is ${value}, its evidence has ${counted}: ${message}`];
}

function countUpTo(
  last: EvidenceEvent,
  events: readonly EvidenceEvent[],
  { withinMs, count }: Counter,
): number {
  const endMs = Number(last["time_ms"]);
  const times = events.filter(({ time_ms: ms }) => {
    return Number(ms) <= endMs && Number(ms) >= endMs - withinMs;
  });
  return count(times);
}

function complainOfSubject(
  { subject, key }: EvidenceEvent,
  events: readonly EvidenceEvent[],
): string[] {
  if (subject !== subject!.toLowerCase() && subject!.includes("@"))
    return [`the subject ${subject} is not written as the log writes it`];
  if (events.length === 0) return [];
  const { user_id: userId } = JSON.parse(key!) as { readonly user_id?: string | null };
  const names = [subject!.replace(/^(?:user|address) /, ""), userId ?? undefined];
  const isNamed = events.some(({ whole }) =>
    names.some((name) => name !== undefined && whole!.includes(name.toLowerCase())),
  );
  return isNamed ? [] : [`the subject ${subject} does not occur in its evidence`];
}
