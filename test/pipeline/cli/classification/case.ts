import type { Entry, Operation } from "../../../../schemas/catalog.ts";
import { catalog } from "../../../../schemas/generated/catalog.ts";

/** What the import is to say of a record. */
export type Expected = {
  readonly canonical_name: string | null;
  readonly variant: string | null;
  readonly area: string | null;
  readonly generation: string | null;
  readonly operation: string | null;
  readonly catalog_match: string;
  readonly denial_kind: string | null;
  readonly outcome: string;
};
export type Case = {
  readonly title: string;
  readonly record: Readonly<Record<string, unknown>>;
  readonly expected: Expected;
};

/** What is said of an event that the catalog does not know. */
export const unknown: Expected = {
  canonical_name: null,
  variant: null,
  area: null,
  generation: null,
  operation: null,
  catalog_match: "unknown_event",
  denial_kind: null,
  outcome: "unknown",
};
const failing = new Set(["failed_sign_in", "failed_result_export"]);

/** What an event of an entry looks like when nothing says that it was denied. */
export function classifiedAs(entry: Entry, match: string, operation?: Operation): Expected {
  const kind = entry.denialKind;
  return {
    canonical_name: entry.event,
    variant: entry.variant,
    area: entry.area,
    generation: entry.generation,
    operation: operation === undefined ? null : `${operation.verb} ${operation.path}`,
    catalog_match: match,
    denial_kind: kind,
    outcome: kind === null ? "succeeded" : failing.has(kind) ? "failed" : "denied",
  };
}

/** A record of a request; null is a field left empty. */
export const request = (event: string, verb: string | null, path: string | null, more = {}) => ({
  event_name: event,
  requested_http_verb: verb,
  requested_path_info: path,
  ...more,
});

/** The entry of an event, of the area where several have it. */
export const buildEntry = (event: string, area?: string, variant: string | null = null): Entry =>
  catalog.entries.find(
    (e) => e.event === event && (area ?? e.area) === e.area && e.variant === variant,
  )!;

/** What is said of an event by its name alone. */
export const expectedFor = (event: string, match: string, area?: string): Expected =>
  classifiedAs(buildEntry(event, area), match);

/** A case of three parts. */
export const one = (title: string, record: Record<string, unknown>, expected: Expected): Case => ({
  title,
  record,
  expected,
});
