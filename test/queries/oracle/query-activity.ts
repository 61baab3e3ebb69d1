import { clockAt, isWeekendAt } from "./clock.ts";
import { listActivities, type Activity } from "./jobs.ts";
import { isDenial } from "./classify.ts";
import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import {
  dayMs,
  distinct,
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  sum,
  within,
  type Oracle,
  type Params,
} from "./rows.ts";

function activitiesIn(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
): Activity[] {
  return listActivities(listFacts(records, users)).filter((a) => within(params, a.time));
}

function jobsIn(records: readonly RawRecord[], users: readonly User[], params: Params): Activity[] {
  return activitiesIn(records, users, params).filter(isJob);
}

const isJob = (a: Activity): boolean => a.kind === "job";
const hasFailed = (a: Activity): boolean => a.status === "error" || a.status === "failed";
const isKilled = (a: Activity): boolean => a.status === "killed";
const count = <T>(items: readonly T[], test: (item: T) => boolean): number =>
  items.filter(test).length;
const seconds = (group: readonly Activity[]) => ({
  total_seconds: sum(group.map((a) => a.seconds)),
});
const times = (group: readonly Activity[]) => span(group.map((a) => a.time));
const userId = (group: readonly { userId: string | null }[]) => ({
  user_id: largestId(group.map((a) => a.userId)),
});

/** Jobs and saved-query actions by actor. */
export const queriesByUser: Oracle = (records, users, params) => {
  const rows = rowsBy(
    activitiesIn(records, users, params),
    (a) => [a.actor],
    (group) => ({
      actor: group[0].actor,
      jobs: count(group, isJob),
      failed: count(group, hasFailed),
      killed: count(group, isKilled),
      ...seconds(group),
      saved_query_actions: count(group, (a) => !isJob(a)),
      databases: distinct(group.map((a) => a.database)),
      ...times(group),
      ...userId(group),
    }),
  );
  return sort(rows, "-jobs -saved_query_actions actor");
};

/** Jobs by database. */
export const queriesByDatabase: Oracle = (records, users, params) => {
  const rows = rowsBy(
    jobsIn(records, users, params),
    (a) => [a.database],
    (group) => ({
      database_name: group[0].database ?? "unknown",
      jobs: group.length,
      actors: distinct(group.map((a) => a.actor)),
      failed: count(group, hasFailed),
      killed: count(group, isKilled),
      ...seconds(group),
      ...times(group),
    }),
  );
  return sort(rows, "-jobs database_name");
};

/** Jobs that took at least so many minutes. */
export const longJobs: Oracle = (records, users, params) => {
  const rows = jobsIn(records, users, params)
    .filter((a) => a.seconds !== null && a.seconds >= Number(params["minutes"]) * 60)
    .map((a) => ({
      issued_at: stamp(a.time),
      actor: a.actor,
      database_name: a.database,
      duration_seconds: a.seconds,
      status: a.status,
      job_id: a.objectId,
      job_type: a.jobType,
      target_table: a.targetTable,
      user_id: a.userId,
      query_start: a.queryText === null ? null : [...a.queryText].slice(0, 80).join(""),
    }));
  return sort(rows, "-duration_seconds issued_at job_id");
};

/** Jobs that ended in an error or were killed. */
export const killedAndFailedJobs: Oracle = (records, users, params) => {
  const rows = jobsIn(records, users, params)
    .filter((a) => isKilled(a) || hasFailed(a))
    .map((a) => ({
      issued_at: stamp(a.time),
      actor: a.actor,
      database_name: a.database,
      status: a.status,
      killed_by: a.killedBy,
      duration_seconds: a.seconds,
      finished_at: a.finishedAt === null ? null : stamp(a.finishedAt),
      job_id: a.objectId,
      job_type: a.jobType,
      user_id: a.userId,
    }));
  return sort(rows, "issued_at job_id");
};

/** Jobs and saved-query actions by UTC hour of the day. */
export const busiestHours: Oracle = (records, users, params) => {
  const hour = (a: Activity): number => clockAt(a.time, params).hour;
  const rows = rowsBy(
    activitiesIn(records, users, params),
    (a) => [hour(a)],
    (group) => ({
      hour_of_day: hour(group[0]),
      jobs: count(group, isJob),
      scheduled_jobs: count(group, (a) => isJob(a) && a.isScheduled),
      saved_query_actions: count(group, (a) => !isJob(a)),
      actors: distinct(group.map((a) => a.actor)),
      databases: distinct(group.map((a) => a.database)),
      ...seconds(group),
    }),
  );
  return sort(rows, "hour_of_day");
};

/** What people did by hand at weekends or outside the working hours, in UTC. */
export const offHoursActivity: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const byHand = listActivities(facts).filter((a) => !a.isScheduled);
  const downloads = facts.filter(
    (f) => f.canonical === "job_result_download" && f.outcome === "succeeded",
  );
  const actions = [
    ...byHand.map(({ actor, userId: id, ip, time }) => ({
      actor,
      userId: id,
      ip,
      time,
      isDownload: false,
    })),
    ...downloads.map(({ actor, userId: id, ip, time }) => ({
      actor,
      userId: id,
      ip,
      time,
      isDownload: true,
    })),
  ].filter((a) => within(params, a.time) && a.ip !== "internal");
  const isWeekend = ({ time }: { time: number }): boolean => isWeekendAt(time, params);
  const isNight = ({ time }: { time: number }): boolean => {
    const { hour } = clockAt(time, params);
    return hour < Number(params["from_hour"]) || hour >= Number(params["to_hour"]);
  };
  const rows = rowsBy(
    actions,
    (a) => [a.actor],
    (group) => {
      const off = group.filter((a) => isWeekend(a) || isNight(a));
      if (off.length === 0) return null;
      return {
        actor: group[0].actor,
        off_hours: off.length,
        at_weekends: count(group, isWeekend),
        downloads_off_hours: count(off, (a) => a.isDownload),
        all_actions: group.length,
        ...span(off.map((a) => a.time)),
        ...userId(group),
      };
    },
  );
  return sort(rows, "-off_hours actor");
};

/** All events by UTC day and area. */
export const activityByDay: Oracle = (records, users, params) => {
  const day = (f: Fact): string => stamp(f.time).slice(0, 10);
  const facts = listFacts(records, users).filter((f) => within(params, f.time));
  const rows = rowsBy(
    facts,
    (f) => [day(f), f.area],
    (group) => ({
      day: day(group[0]),
      area: group[0].area ?? "unknown",
      events: group.length,
      actors: distinct(group.map((f) => f.actor)),
      event_names: distinct(group.map((f) => f.name)),
      denials: count(group, isDenial),
    }),
  );
  return sort(rows, "day area");
};

/** Databases that an actor used in the range and not in the days before it. */
export const firstDatabaseUse: Oracle = (records, users, params) => {
  const start = params.since - Number(params["days"]) * dayMs;
  const jobs = jobsIn(records, users, { ...params, since: start }).filter(
    (a) => a.database !== null,
  );
  const rows = rowsBy(
    jobs,
    (a) => [a.actor, a.database],
    (group) =>
      group.some((a) => a.time < params.since)
        ? null
        : {
            actor: group[0].actor,
            database_name: group[0].database,
            jobs: group.length,
            ...seconds(group),
            ...times(group),
            ...userId(group),
          },
  );
  return sort(rows, "first_at actor database_name");
};

/** Jobs and saved-query runs whose text holds the words, in any case. */
export const queriesWithText: Oracle = (records, users, params) => {
  const wanted = String(params["text"]).toLowerCase();
  const rows = activitiesIn(records, users, params).flatMap((a) => {
    const at = [...(a.queryText ?? "").toLowerCase()].join("").indexOf(wanted);
    if (a.queryText === null || at < 0) return [];
    const start = Math.max(Array.from(a.queryText.slice(0, at)).length - 20, 0);
    return [
      {
        activity_time: stamp(a.time),
        actor: a.actor,
        database_name: a.database,
        excerpt: [...a.queryText].slice(start, start + 80).join(""),
        activity: a.kind,
        status: a.status,
        object_name: a.objectName,
        object_id: a.objectId,
        user_id: a.userId,
      },
    ];
  });
  return sort(
    rows,
    "activity_time actor database_name excerpt activity status object_name object_id user_id",
  );
};
