import { newRandom } from "../../../fixtures/random.ts";
import type { AuditRecord, DayLog, LoggedEvent } from "../../../fixtures/record.ts";
import { firstMs, makeDailyRecords } from "../scheduled-runs/years.ts";
import { dayMs, hourMs } from "../../support/remote.ts";
import { markedLog, markField, type Truth } from "../log.ts";
import type { Plan } from "./plan.ts";

type Event = LoggedEvent<unknown>;

const lateHours = 20;
const lateShare = 0.05;
const trafficShare = 0.35;
const ownEvents = 12;

/**
 * The records of the service: a part of the company's traffic, jobs that end days later and permissions. Ids come
 * again with other content, and some records are unreadable. Some are late by hours.
 */
export function buildLog(plan: Plan): DayLog {
  const { seed } = plan;
  const days = Array.from({ length: plan.days }, (_, i) => firstMs + i * dayMs);
  const traffic = markedLog({
    seed,
    from: firstMs,
    to: firstMs + plan.days * dayMs,
    eventsPerDay: 0,
    share: trafficShare,
  });
  const isFresh = jobsOnce();
  const own = Map.groupBy(listOwn(plan), ({ time }) => Math.floor(time / 86_400) * dayMs);
  const made = days.map((start) => {
    const random = newRandom(seed, `late ${start}`);
    const show = (event: Event): Event => ({
      ...event,
      visibleAt: visibleAt(event, random.next()),
    });
    const all = [...traffic.day(start).filter(isFresh), ...(own.get(start) ?? [])].map(show);
    return [start, all.sort((a, b) => a.time - b.time)] as const;
  });
  const byDay = new Map(made);
  return { days, day: (start) => byDay.get(start) ?? [] };
}

// The traffic names a few jobs again weeks after they ended, which no service does: those events are left out.
function jobsOnce(): (event: Event) => boolean {
  const first = new Map<string, number>();
  return ({ record, time }) => {
    const { event_name: name, resource_id: id } = record as AuditRecord;
    if (!name.startsWith("job_")) return true;
    const firstTime = first.get(String(id)) ?? time;
    first.set(String(id), firstTime);
    return time - firstTime < 2 * 86_400;
  };
}

// Each is shown from the day on that brings it, or from the next: a look-back of two days finds no later ones.
function listOwn(plan: Plan): Event[] {
  const brought = makeDailyRecords({ ...plan, dayCount: plan.days, every: 1, events: ownEvents });
  return brought.flatMap((records, place) => {
    const visible = firstMs + place * dayMs;
    return records.map((record, i) => {
      // An unreadable record has no time. It is placed at noon, since it would be rejected alone on a page.
      const noon = visible + dayMs / 2;
      if (!("time" in record)) return { record, time: noon / 1000, visibleAt: noon };
      const time = Number(record.time);
      const marked = { ...record, [markField]: `own ${place}-${i}` };
      const nextDay = (Math.floor(time / 86_400) + 1) * dayMs;
      return { record: marked, time, visibleAt: Math.max(time * 1000, Math.min(visible, nextDay)) };
    });
  });
}

function visibleAt(event: Event, chance: number): number {
  if (chance < 1 - lateShare) return event.visibleAt;
  const lateMs = ((chance - (1 - lateShare)) / lateShare) * lateHours * hourMs;
  return Math.max(event.visibleAt, event.time * 1000 + Math.round(lateMs));
}

/** The expected number of each mark after the last run: of what was visible by then, and has a mark. */
export function buildTruth({ days, day }: DayLog, nowMs: number): Truth {
  const truth = new Map<string, number>();
  for (const event of days.flatMap((start) => day(start))) {
    const mark = (event.record as AuditRecord)[markField];
    if (event.visibleAt > nowMs || mark === undefined) continue;
    truth.set(String(mark), (truth.get(String(mark)) ?? 0) + 1);
  }
  return truth;
}
