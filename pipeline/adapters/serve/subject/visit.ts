import type { Range } from "../../../answers/investigate/subject.ts";
import { checkRange } from "../../../base/report/params.ts";
import { UsageError } from "../../../base/errors.ts";
import { formatIso } from "../../../base/time/text.ts";
import { parseMoment } from "../../../base/time/times.ts";
import type { Visit } from "../visit.ts";

export type SubjectVisit = { readonly visit: Visit; readonly range: Range };

const usualSince = "30d";

/** The visit with its range: 30 days where none was chosen. Throws UsageError for a bad time or an empty range. */
export function readSubjectVisit(visit: Visit): SubjectVisit {
  const { isRangeChosen, range } = visit;
  const shown = isRangeChosen ? range : { since: usualSince, until: "now" };
  const nowMs = visit.site.world.now();
  const parse = (value: string) => ({
    type: "timestamp" as const,
    value: parseMoment(value, nowMs),
  });
  const [since, until] = [parse(shown.since), parse(shown.until)];
  const fault = checkRange({ since, until });
  if (fault !== undefined) throw new UsageError(fault);
  return {
    visit: { ...visit, range: shown },
    range: { sinceMs: since.value, untilMs: until.value },
  };
}

/** The address of a search of events in a range, by a filter of the search. */
export function buildEventsUrl(
  filter: Readonly<Record<string, string>>,
  { sinceMs, untilMs }: Range,
): string {
  const range = { since: formatIso(sinceMs), until: formatIso(untilMs) };
  return `/events?${new URLSearchParams({ ...filter, ...range }).toString()}`;
}
