import { newRandom } from "../../fixtures/random.ts";
import type { AuditRecord, DayLog, LoggedEvent } from "../../fixtures/record.ts";
import { makeTraffic } from "../../fixtures/traffic.ts";

// A log whose every event can be identified in the store. A mark of its own is in a field that nothing else uses.
export const markField = "docker_image";

export type LogOptions = {
  readonly seed: number;
  /** Half-open range of event time, milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly eventsPerDay: number;
  /** Share of the events that is kept; 1 if left out. */
  readonly share?: number;
};

/** How often each mark is to be found. */
export type Truth = ReadonlyMap<string, number>;

/**
 * A log of the invented company in which each record has a mark. Half of the records have no id, and some of those
 * occur twice: two equal events in one second.
 */
export function markedLog(options: LogOptions): DayLog<AuditRecord> {
  const { seed, share = 1 } = options;
  const { days, day } = makeTraffic(options);
  const mark = (start: number): LoggedEvent[] => {
    const random = newRandom(seed, `marks ${start}`);
    return day(start).flatMap((event, place) => {
      const { id: _id, ...nameless } = event.record as AuditRecord & { id?: unknown };
      const record = { ...nameless, [markField]: `${start / 1000}-${place}` } as AuditRecord;
      if (!random.chance(share)) return [];
      if (random.chance(0.5)) return [{ ...event, record: { ...record, id: random.uuid() } }];
      return Array.from({ length: random.chance(0.1) ? 2 : 1 }, () => ({ ...event, record }));
    });
  };
  return { days, day: mark };
}

/** All events of a log by time. */
export function* listEvents({ days, day }: DayLog<AuditRecord>): Generator<LoggedEvent> {
  for (const start of days) yield* day(start);
}

/** The marks of events and how often each occurs among them. */
export function truthOfMarks(events: Iterable<LoggedEvent>): Truth {
  const truth = new Map<string, number>();
  for (const { record } of events) {
    const mark = String(record[markField]);
    truth.set(mark, (truth.get(mark) ?? 0) + 1);
  }
  return truth;
}
