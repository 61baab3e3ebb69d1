import type { EventPlace } from "../../../answers/events/rows.ts";
import { notRecorded } from "../../../answers/events/filters.ts";
import { foldEvents, type Run } from "../../../answers/investigate/fold-events.ts";
import type { Cell, Column, Row } from "../../../base/rows/row.ts";
import { parseSpaced } from "../../../base/time/text.ts";

/** An event of a list, as `queries/pages/events/rows.sql` has it. */
export type ListedEvent = {
  readonly timeMs: number;
  readonly getText: (name: string) => string | null;
};

/** Rows of a page, each an event or a run of equal ones, and where the next page starts. */
export type EventPage = {
  readonly runs: readonly Run<ListedEvent>[];
  readonly events: number;
  readonly next: EventPlace | undefined;
};

/** Most rows of a page, and most events grouped into them. */
export const rowsOfPage = 100;
export const eventsOfPage = 1000;

export function readListedEvents(columns: readonly Column[], rows: readonly Row[]): ListedEvent[] {
  const places = new Map(columns.map(({ name }, i) => [name, i]));
  return rows.map((row) => {
    const getText = (name: string): string | null => {
      const cell: Cell = row[places.get(name) ?? -1] ?? null;
      return cell === null || cell === "" || cell === notRecorded ? null : String(cell);
    };
    return { timeMs: parseSpaced(getText("event_time")!), getText };
  });
}

/**
 * Takes the events of a page, newest first: as many as its rows can group. A page is a stretch of time, so a run of
 * equal events can continue on the next page.
 */
export function takePage(events: readonly ListedEvent[], isFolded: boolean): EventPage {
  const taken = events.slice(0, isFolded ? eventsOfPage : rowsOfPage);
  const runs = fold(taken, isFolded);
  const extra = runs[rowsOfPage]?.events[0];
  const count = extra === undefined ? taken.length : taken.indexOf(extra);
  const last = events[count - 1];
  return {
    runs: extra === undefined ? runs : fold(taken.slice(0, count), isFolded),
    events: count,
    next:
      count < events.length && last !== undefined
        ? { time: last.getText("event_time")!, key: last.getText("event_key")! }
        : undefined,
  };
}

function fold(events: readonly ListedEvent[], isFolded: boolean): Run<ListedEvent>[] {
  if (!isFolded)
    return events.map((event) => ({
      events: [event],
      firstMs: event.timeMs,
      lastMs: event.timeMs,
    }));
  return foldEvents(events, ({ timeMs, getText }) => ({
    timeMs,
    source: getText("source") ?? "",
    eventName: getText("event") ?? "",
    outcome: getText("outcome") ?? "",
    denialKind: getText("kind"),
    person: getText("person") ?? "",
    address: getText("address"),
  }));
}
