import type { Finding } from "../../../answers/findings/find.ts";
import { formatDay, formatIso, fromTimestamp } from "../../../base/time/text.ts";
import { buildSubjectUrl } from "../leads.ts";

const dayMs = 86_400_000;

export function getFindingDays({ firstAt, lastAt }: Finding): {
  readonly since: string;
  readonly until: string;
} {
  return {
    since: formatDay(fromTimestamp(firstAt)),
    until: formatDay(fromTimestamp(lastAt) + dayMs),
  };
}

/** The person of a finding as a search takes it: without an e-mail by id. */
export function getPerson({ subject }: Finding): string {
  return subject.replace(/^user (?=\d+$)/, "");
}

/** The page of the person or address that a finding is about; undefined for another subject. */
export function getSubjectUrl(finding: Finding): string | undefined {
  const { subjectKind: kind } = finding;
  if (kind !== "user" && kind !== "address") return undefined;
  return buildSubjectUrl(kind, getPerson(finding), getFindingDays(finding));
}

/** The events of the person or address of a finding from its first to its last; undefined for another subject. */
export function getEventsUrl(finding: Finding): string | undefined {
  const { subjectKind, firstAt, lastAt } = finding;
  if (subjectKind !== "user" && subjectKind !== "address") return undefined;
  const search = new URLSearchParams({
    ...getFindingDays(finding),
    [subjectKind === "user" ? "person" : "address"]: getPerson(finding),
    from: formatIso(fromTimestamp(firstAt)),
    to: formatIso(fromTimestamp(lastAt) + 1000),
  });
  return `/events?${search.toString()}`;
}
