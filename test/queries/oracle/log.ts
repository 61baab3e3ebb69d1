import { isDenial } from "./classify.ts";
import { numberIn } from "./hits.ts";
import { listFacts, type Fact } from "./record.ts";
import {
  dayMs,
  distinct,
  rowsBy,
  sort,
  span,
  stamp,
  sum,
  within,
  type Oracle,
  type Row,
} from "./rows.ts";

// Reports on the log itself.

const getDay = (ms: number): number => Math.floor(ms / dayMs);
const toDate = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
const getName = (f: Fact): string => f.name ?? "no name";

/** Events by day and area. */
export const eventsByDay: Oracle = (records, users, params) => {
  const rows = rowsBy(
    listFacts(records, users).filter((f) => within(params, f.time)),
    (f) => [getDay(f.time), f.area ?? "unknown"],
    (group) => ({
      day: toDate(getDay(group[0].time)),
      area: group[0].area ?? "unknown",
      events: group.length,
      event_names: distinct(group.map((f) => f.name)),
      actors: distinct(group.map((f) => f.actor)),
      denials: group.filter(isDenial).length,
      unknown_outcomes: group.filter((f) => f.outcome === "unknown").length,
    }),
  );
  return sort(rows, "day area");
};

/** Event names and actors of which one day has far more or far fewer than the same weekday before. */
export const unusualVolumes: Oracle = (records, users, params) => {
  const readGiven = (name: string, otherwise: number): number => Number(params[name] ?? otherwise);
  const [weeks, factor, least] = [
    readGiven("weeks", 4),
    readGiven("factor", 5),
    readGiven("least", 20),
  ];
  const first = getDay(params.since) - 7 * weeks;
  const all = listFacts(records, users);
  const facts = all.filter((f) => f.time >= first * dayMs && f.time < params.until);
  const counts = new Map<string, Map<number, number>>();
  const count = (subject: string, day: number): void => {
    const own = counts.get(subject) ?? new Map<number, number>();
    own.set(day, (own.get(day) ?? 0) + 1);
    counts.set(subject, own);
  };
  for (const f of facts) {
    count(`event ${getName(f)}`, getDay(f.time));
    if (f.actor !== "unknown") count(`actor ${f.actor}`, getDay(f.time));
  }
  const present = new Set(facts.map((f) => getDay(f.time)));
  const rows: Row[] = [];
  for (const day of daysRead(all, present)) {
    if (day * dayMs < params.since || (day + 1) * dayMs > params.until) continue;
    const weekdays = Array.from({ length: weeks }, (_, i) => day - 7 * (i + 1));
    const known = weekdays.filter((other) => present.has(other));
    if (known.length < 2) continue;
    for (const [subject, own] of counts) {
      const events = own.get(day) ?? 0;
      const before = known.map((other) => own.get(other) ?? 0);
      const [usual, most, fewest] = [mean(before), Math.max(...before), Math.min(...before)];
      const isMore = events >= least && events > most && events > factor * usual;
      const isFewer = usual >= least && events < fewest && usual > factor * events;
      if (!isMore && !(isFewer && subject.startsWith("event "))) continue;
      rows.push({
        day: toDate(day),
        subject_kind: subject.slice(0, 5),
        subject: subject.slice(6),
        change: isMore ? "more" : "fewer",
        events,
        usual_events: Math.floor(usual),
        fewest_before: fewest,
        most_before: most,
        weekdays_before: known.length,
        times: Math.floor(Math.max(events, usual) / Math.max(Math.min(events, usual), 1)),
        difference: Math.abs(events - usual),
      });
    }
  }
  return sort(rows, "-times -difference day subject_kind subject").map(
    ({ difference: _difference, ...row }) => row,
  );
};

const mean = (counts: readonly number[]): number => sum(counts) / counts.length;

// In a file a day without events counts as covered, as long as others follow.
function daysRead(all: readonly Fact[], present: ReadonlySet<number>): ReadonlySet<number> {
  const last = Math.max(...all.map((f) => f.time));
  const read = new Set(present);
  for (let day = Math.min(...present); (day + 1) * dayMs <= last; day++) read.add(day);
  return read;
}

const least = (paths: readonly (string | null)[]): string | null =>
  sort(
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

/** Names that are missing in the reference. */
export const unknownEvents: Oracle = (records, users, params) => {
  const rows = rowsBy(
    listFacts(records, users).filter((f) => within(params, f.time) && f.canonical === null),
    (f) => [getName(f)],
    (group) => {
      const { events, actors, ...rest } = common(group);
      const days = distinct(group.map((f) => getDay(f.time)));
      return { event_name: getName(group[0]), events: events!, days, actors: actors!, ...rest };
    },
  );
  return sort(rows, "-events event_name");
};

/** Known events on operations that the reference does not list for them. */
export const undocumentedOperations: Oracle = (records, users, params) => {
  const rows = rowsBy(
    listFacts(records, users).filter(
      (f) => within(params, f.time) && f.isUndocumented && f.path !== null,
    ),
    (f) => [f.canonical, f.verb ?? "not recorded"],
    (group) => ({
      event_name: group[0].canonical,
      verb: group[0].verb ?? "not recorded",
      ...common(group),
    }),
  );
  return sort(rows, "-events event_name verb");
};

/** Events whose id is shared with events of other content, in any order. */
export const conflictingIds: Oracle = (records, users, params) => {
  const named = listFacts(records, users).filter((f) => f.text("id") !== null);
  const versions = Map.groupBy(named, (f) => f.text("id"));
  const rows = named
    .filter((f) => within(params, f.time) && versions.get(f.text("id"))!.length > 1)
    .map((f) => ({
      event_time: stamp(f.time),
      id: f.text("id"),
      versions: versions.get(f.text("id"))!.length,
      event_name: getName(f),
      actor: f.actor,
      resource_name: f.text("resource_name"),
    }));
  return sort(rows, "event_time id event_name actor");
};

/**
 * Events that share their id with an earlier event or one of their time; a log that is read once has nothing that
 * vanished.
 */
export const alteredLog: Oracle = (records, users, params) => {
  const named = listFacts(records, users).filter((f) => f.text("id") !== null);
  const rows = [...Map.groupBy(named, (f) => f.text("id"))].flatMap(([id, versions]): Row[] => {
    const isConflict = (one: (typeof versions)[number]): boolean =>
      versions.some((other) => other !== one && other.time <= one.time);
    return versions
      .filter((one) => within(params, one.time) && isConflict(one))
      .map((one) => ({
        event_time: stamp(one.time),
        sign: "events of other content share the id",
        subject: id,
        events: versions.length,
        report: "conflicting_ids",
      }));
  });
  return sort(rows, "event_time sign subject events report");
};

const isWeekend = (day: number): boolean => [0, 6].includes(new Date(day * dayMs).getUTCDay());

/** Names that came on most days, each on the first day without it. */
export const silentEvent: Oracle = (records, users, params) => {
  const all = listFacts(records, users).filter((f) => f.time < params.until);
  const named = all.filter((f) => f.canonical !== null);
  const rows = [...Map.groupBy(named, (f) => f.canonical)].flatMap(([name, own]) => {
    const days = [...new Set(own.map((f) => getDay(f.time)))].toSorted((a, b) => a - b);
    return days.flatMap((last, i): Row[] => {
      const next = days[i + 1] ?? Infinity;
      for (let day = last + 1; day < Math.min(next, last + 30); day++) {
        const before = days.filter((other) => other < day && other >= day - 28);
        const weekends = before.filter(isWeekend).length;
        const isUsual = isWeekend(day)
          ? weekends >= numberIn(params, "weekend_days", 8)
          : before.length >= numberIn(params, "days", 20);
        if (!isUsual) continue;
        const later = all.filter((f) => getDay(f.time) > day).map((f) => f.time);
        const noticed = later.reduce((first, time) => Math.min(first, time), Infinity);
        if (!within(params, noticed)) return [];
        return [
          {
            noticed_at: stamp(noticed),
            event_name: name,
            missing_day: toDate(day),
            last_day: toDate(last),
            days_before: before.length,
            weekend_days_before: weekends,
          },
        ];
      }
      return [];
    });
  });
  return sort(rows, "noticed_at event_name missing_day last_day days_before weekend_days_before");
};
