import { severities } from "../../../../schemas/detections.ts";
import { type QueueFilter, type QueueState, queueStates } from "../../../answers/findings/queue.ts";
import { UsageError } from "../../../base/errors.ts";
import { parseMoment } from "../../../base/time/times.ts";
import { describeUnknownFields } from "../search.ts";
import { type PageRange, readQuery, type Visit } from "../visit.ts";

const known = ["state", "severity", "detection", "subject", "search", "page", "since", "until"];
const usualRange: PageRange = { since: "30d", until: "now" };

/** Parameters of a request for the queue: its filter, the range as text, and the page number. */
export type QueueRequest = {
  readonly filter: QueueFilter;
  readonly range: PageRange;
  readonly page: number;
};

/** Reads the filter of the queue from an address. Throws UsageError for a bad state, severity, time or page. */
export function readQueueRequest(visit: Visit): QueueRequest {
  const query = readQuery(visit);
  const unknown = describeUnknownFields(query, known);
  if (unknown !== undefined) throw new UsageError(unknown);
  const range = visit.isRangeChosen ? visit.range : usualRange;
  const nowMs = visit.site.world.now();
  const during = {
    startMs: parseMoment(range.since, nowMs),
    endMs: parseMoment(range.until, nowMs),
  };
  if (during.startMs >= during.endMs)
    throw new UsageError(`the range ends before it starts: ${range.since} to ${range.until}`);
  const choose = (name: string): string | undefined => query[name] || undefined;
  const { source } = visit.site.settings.flags;
  const texts = {
    detection: choose("detection"),
    subject: choose("subject"),
    search: choose("search"),
    source,
  };
  return {
    range,
    page: readPage(choose("page") ?? "1"),
    filter: {
      state: readChoice(
        "state",
        choose("state") ?? "open",
        Object.keys(queueStates) as QueueState[],
      ),
      severity: readChoice("severity", choose("severity") ?? "info", severities),
      during,
      ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    },
  };
}

function readChoice<W extends string>(name: string, given: string, words: readonly W[]): W {
  const word = words.find((each) => each === given);
  if (word !== undefined) return word;
  throw new UsageError(`${name} ${JSON.stringify(given)}: expected one of ${words.join(", ")}`);
}

function readPage(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`page ${JSON.stringify(text)}: expected a number from 1`);
}
