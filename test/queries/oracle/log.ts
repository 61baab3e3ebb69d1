import { isDenial } from "./classify.ts";
import { factsOf, type Fact } from "./record.ts";
import {
  dayMs,
  distinct,
  rowsBy,
  sorted,
  span,
  stamp,
  within,
  type Oracle,
  type Row,
} from "./rows.ts";

// Reports on the log itself.

const dayOf = (ms: number): number => Math.floor(ms / dayMs);
const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
const nameOf = (f: Fact): string => f.name ?? "no name";

/** Events by day and area. */
export const eventsByDay: Oracle = (records, users, params) => {
  const rows = rowsBy(
    factsOf(records, users).filter((f) => within(params, f.time)),
    (f) => [dayOf(f.time), f.area ?? "unknown"],
    (group) => ({
      day: dateOf(dayOf(group[0].time)),
      area: group[0].area ?? "unknown",
      events: group.length,
      event_names: distinct(group.map((f) => f.name)),
      actors: distinct(group.map((f) => f.actor)),
      denials: group.filter(isDenial).length,
      unknown_outcomes: group.filter((f) => f.outcome === "unknown").length,
    }),
  );
  return sorted(rows, "day area");
};

/** Event names of which one day has far more or far fewer than the days before it. */
export const unusualVolumes: Oracle = (records, users, params) => {
  const given = (name: string, otherwise: number): number => Number(params[name] ?? otherwise);
  const [days, factor, least] = [given("days", 14), given("factor", 5), given("least", 20)];
  const first = dayOf(params.since) - days;
  const all = factsOf(records, users);
  const facts = all.filter((f) => f.time >= first * dayMs && f.time < params.until);
  const counts = new Map<string, Map<number, number>>();
  for (const f of facts) {
    const own = counts.get(nameOf(f)) ?? new Map<number, number>();
    own.set(dayOf(f.time), (own.get(dayOf(f.time)) ?? 0) + 1);
    counts.set(nameOf(f), own);
  }
  const present = [...new Set(facts.map((f) => dayOf(f.time)))];
  const rows: Row[] = [];
  // Of a file a day without events is one that it tells of, as long as others follow.
  const last = Math.max(...all.map((f) => f.time));
  const told = new Set(present);
  for (let day = Math.min(...present); (day + 1) * dayMs <= last; day++) told.add(day);
  for (const day of told) {
    if (day * dayMs < params.since || (day + 1) * dayMs > params.until) continue;
    const before = present.filter((other) => other < day && other >= day - days);
    if (before.length < 3) continue;
    for (const [name, own] of counts) {
      const events = own.get(day) ?? 0;
      const former = before.reduce((total, other) => total + (own.get(other) ?? 0), 0);
      const average = former / before.length;
      const isMore = events >= least && events > factor * average;
      const isFewer = average >= least && average > factor * events;
      if (!isMore && !isFewer) continue;
      rows.push({
        day: dateOf(day),
        event_name: name,
        change: isMore ? "more" : "fewer",
        events,
        events_before: former,
        days_before: before.length,
      });
    }
  }
  return sorted(rows, "day event_name");
};

const least = (paths: readonly (string | null)[]): string | null =>
  sorted(
    paths.map((path) => ({ path })),
    "path",
  )[0]!["path"] as string | null;

const common = (group: readonly Fact[]): Row => ({
  events: group.length,
  paths: distinct(group.map((f) => f.path)),
  sample_path: least(group.map((f) => f.path)),
  actors: distinct(group.map((f) => f.actor)),
  ...span(group.map((f) => f.time)),
});

/** Names that the reference lacks. */
export const unknownEvents: Oracle = (records, users, params) => {
  const rows = rowsBy(
    factsOf(records, users).filter((f) => within(params, f.time) && f.canonical === null),
    (f) => [nameOf(f)],
    (group) => {
      const { events, actors, ...rest } = common(group);
      const days = distinct(group.map((f) => dayOf(f.time)));
      return { event_name: nameOf(group[0]), events: events!, days, actors: actors!, ...rest };
    },
  );
  return sorted(rows, "-events event_name");
};

/** Known events on operations that the reference does not list for them. */
export const undocumentedOperations: Oracle = (records, users, params) => {
  const rows = rowsBy(
    factsOf(records, users).filter(
      (f) => within(params, f.time) && f.isUndocumented && f.path !== null,
    ),
    (f) => [f.canonical, f.verb ?? "not recorded"],
    (group) => ({
      event_name: group[0].canonical,
      verb: group[0].verb ?? "not recorded",
      ...common(group),
    }),
  );
  return sorted(rows, "-events event_name verb");
};

/** Events whose id stands on events of other content, too, whenever those came. */
export const conflictingIds: Oracle = (records, users, params) => {
  const named = factsOf(records, users).filter((f) => f.text("id") !== null);
  const versions = Map.groupBy(named, (f) => f.text("id"));
  const rows = named
    .filter((f) => within(params, f.time) && versions.get(f.text("id"))!.length > 1)
    .map((f) => ({
      event_time: stamp(f.time),
      id: f.text("id"),
      versions: versions.get(f.text("id"))!.length,
      event_name: nameOf(f),
      actor: f.actor,
      resource_name: f.text("resource_name"),
    }));
  return sorted(rows, "event_time id event_name actor");
};
