import { isDenial } from "./classify.ts";
import { listFacts, type Fact } from "./record.ts";
import {
  dayMs,
  distinct,
  largestId,
  minuteMs,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Oracle,
  type Params,
} from "./rows.ts";
import { listActivities } from "./jobs.ts";

const getKind = (fact: Fact): string => fact.denialKind ?? "other";
const getAttempt = (fact: Fact): string =>
  fact.operation ?? fact.canonical ?? fact.name ?? "unknown";
const listDenials = (facts: readonly Fact[], params: Params): Fact[] =>
  facts.filter((f) => isDenial(f) && within(params, f.time));

// What most of these reports say about a group of events.
const times = (group: readonly Fact[]) => span(group.map((f) => f.time));
const userId = (group: readonly Fact[]) => ({ user_id: largestId(group.map((f) => f.userId)) });
const addresses = (group: readonly Fact[]) => ({
  addresses: distinct(group.map((f) => (f.ip === "internal" ? null : f.ip))),
});

/** Denials by actor and kind. */
export const denialsByActor: Oracle = (records, users, params) => {
  const denials = listDenials(listFacts(records, users), params);
  const rows = rowsBy(
    denials,
    (f) => [f.actor, getKind(f)],
    (group) => ({
      actor: group[0].actor,
      denial_kind: getKind(group[0]),
      denials: group.length,
      operations: distinct(group.map(getAttempt)),
      ...addresses(group),
      ...times(group),
      ...userId(group),
    }),
  );
  return sort(rows, "-denials actor denial_kind");
};

/** Denials by UTC day and kind, beside all events of the day. */
export const denialsByDay: Oracle = (records, users, params) => {
  const facts = listFacts(records, users).filter((f) => within(params, f.time));
  const day = (fact: Fact): string => stamp(fact.time).slice(0, 10);
  const days = Map.groupBy(facts, day);
  const rows = rowsBy(
    facts.filter(isDenial),
    (f) => [day(f), getKind(f)],
    (group) => {
      const all = days.get(day(group[0]))!.length;
      return {
        day: day(group[0]),
        denial_kind: getKind(group[0]),
        denials: group.length,
        actors: distinct(group.map((f) => f.actor)),
        ...addresses(group),
        events_of_day: all,
        per_10000_events: Math.floor((10_000 * group.length) / all),
      };
    },
  );
  return sort(rows, "day denial_kind");
};

/** Every denial. */
export const denialsList: Oracle = (records, users, params) => {
  const rows = listDenials(listFacts(records, users), params).map((f) => ({
    event_time: stamp(f.time),
    actor: f.actor,
    denial_kind: getKind(f),
    operation: getAttempt(f),
    resource:
      f.text("resource_name") ??
      f.text("resource_id") ??
      f.text("target_resource_name") ??
      f.text("target_resource_id"),
    ip_address: f.ip,
    event_name: f.name,
    user_id: f.userId,
  }));
  return sort(
    rows,
    "event_time actor denial_kind operation resource ip_address event_name user_id",
  );
};

/** Denials by operation, by event where no operation fits. */
export const denialsByOperation: Oracle = (records, users, params) => {
  const denials = listDenials(listFacts(records, users), params);
  const rows = rowsBy(
    denials,
    (f) => [getAttempt(f), getKind(f), f.area],
    (group) => ({
      operation: getAttempt(group[0]),
      denial_kind: getKind(group[0]),
      denials: group.length,
      actors: distinct(group.map((f) => f.actor)),
      ...times(group),
      area: group[0].area,
    }),
  );
  return sort(rows, "-denials operation denial_kind area");
};

/** Denials by what they were about. */
export const denialsByResource: Oracle = (records, users, params) => {
  const resource = (f: Fact) => {
    const own = f.text("resource_name") ?? f.text("resource_id");
    return {
      resource:
        own ?? f.text("target_resource_name") ?? f.text("target_resource_id") ?? "not recorded",
      resource_type: f.text("resource_type"),
      resource_id: own === null ? f.text("target_resource_id") : f.text("resource_id"),
    };
  };
  const denials = listDenials(listFacts(records, users), params);
  const rows = rowsBy(
    denials,
    (f) => [...Object.values(resource(f)), getKind(f)],
    (group) => ({
      ...resource(group[0]),
      denial_kind: getKind(group[0]),
      denials: group.length,
      actors: distinct(group.map((f) => f.actor)),
      ...times(group),
    }),
  );
  return sort(rows, "-denials resource denial_kind resource_type resource_id");
};

/** Column-visibility denials by actor, column and the visibility it has and needs. */
export const columnVisibilityDenials: Oracle = (records, users, params) => {
  const column = (f: Fact) => ({
    actor: f.actor,
    column_id: f.text("resource_id") ?? "not recorded",
    visibility: f.text("visibility"),
    required_visibility: f.text("required_visibility"),
    resource_type: f.text("resource_type"),
  });
  const denials = listDenials(listFacts(records, users), params).filter(
    (f) => f.denialKind === "column_visibility_denial",
  );
  const rows = rowsBy(
    denials,
    (f) => Object.values(column(f)),
    (group) => ({
      ...column(group[0]),
      denials: group.length,
      ways_tried: distinct(group.map((f) => f.canonical ?? f.name)),
      ...times(group),
      ...userId(group),
    }),
  );
  return sort(rows, "-denials actor column_id visibility required_visibility resource_type");
};

/** What an actor was denied in the range and not in the days before it. */
export const newDenials: Oracle = (records, users, params) => {
  const start = params.since - Number(params["days"]) * dayMs;
  const denials = listDenials(listFacts(records, users), { ...params, since: start });
  const rows = rowsBy(
    denials,
    (f) => [f.actor, getKind(f), getAttempt(f)],
    (group) =>
      group.some((f) => f.time < params.since)
        ? null
        : {
            actor: group[0].actor,
            denial_kind: getKind(group[0]),
            operation: getAttempt(group[0]),
            denials: group.length,
            ...addresses(group),
            ...times(group),
            ...userId(group),
          },
  );
  return sort(rows, "first_at actor denial_kind operation");
};

/** Refused result downloads by actor and job, with the owner of the job. */
export const resultDownloadsRefused: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const owners = new Map(
    listActivities(facts)
      .filter((a) => a.kind === "job")
      .map((a) => [a.objectId, a.actor]),
  );
  const job = (f: Fact) => ({
    actor: f.actor,
    job: f.text("resource_name") ?? f.text("resource_id") ?? "not recorded",
    job_id: f.text("resource_id"),
  });
  const refused = listDenials(facts, params).filter(
    (f) => f.denialKind === "denied_job_result_download",
  );
  const rows = rowsBy(
    refused,
    (f) => Object.values(job(f)),
    (group) => ({
      ...job(group[0]),
      attempts: group.length,
      job_owner: owners.get(group[0].text("resource_id")) ?? null,
      ...times(group),
      ...addresses(group),
      ...userId(group),
    }),
  );
  return sort(rows, "-attempts actor job job_id");
};

/** Actors who were denied on many objects or operations within some minutes, by day. */
export const probing: Oracle = (records, users, params) => {
  const windowMs = Number(params["minutes"] ?? 60) * minuteMs;
  const least = Number(params["least"] ?? 5);
  const denials = listFacts(records, users).filter(
    (f) => f.outcome === "denied" && f.actor !== "unknown" && f.time < params.until,
  );
  const rows = [...Map.groupBy(denials, ({ actor }) => actor)].flatMap(([actor, own]) => {
    const inRange = own.filter((f) => f.time >= params.since - windowMs);
    const strongest = inRange.flatMap((last) => {
      const before = inRange.filter((f) => f.time <= last.time && f.time > last.time - windowMs);
      const found = {
        objects: distinct(before.map(getObject)),
        operations: distinct(before.map(getAttempt)),
        denials: before.length,
        time: last.time,
      };
      return within(params, last.time) && Math.max(found.objects, found.operations) >= least
        ? [found]
        : [];
    });
    return rowsBy(
      strongest,
      ({ time }) => [stamp(time).slice(0, 10)],
      (group) => ({
        day: new Date(group[0].time).toISOString().slice(0, 10),
        actor,
        objects: Math.max(...group.map(({ objects }) => objects)),
        operations: Math.max(...group.map(({ operations }) => operations)),
        denials: Math.max(...group.map((each) => each.denials)),
        ...span(group.map(({ time }) => time)),
        ...userId(inRange),
      }),
    );
  });
  return sort(rows, "-objects -operations -denials day actor");
};

const getObject = (f: Fact): string | null =>
  f.text("resource_name") ??
  f.text("resource_id") ??
  f.text("target_resource_name") ??
  f.text("target_resource_id");
