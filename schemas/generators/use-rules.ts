import { quoteText } from "../quote.ts";

/** schemas/uses.json: which operations an event, or what the text of a job does, may need. */
export type UseRules = {
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  readonly events: Readonly<Record<string, readonly string[]>>;
};

const mark = "-- Generated from schemas/uses.json by `make generate`; do not edit.";

/** The part of queries that lists the events of the rules: written out, the database looks for them before all else. */
export function toUsedEvents({ events }: UseRules): string {
  const names = Object.keys(events).map(quoteText);
  return [mark, names.map((name) => `          ${name}`).join(",\n"), ""].join("\n");
}

/** The part of queries that has the rules as a CTE: a row per operation, with all of which one is needed. */
export function toUseRules({ jobs, events }: UseRules): string {
  const rules = [
    ...Object.entries(jobs).map(([access, operations]) => [`job ${access}`, operations] as const),
    ...Object.entries(events),
  ];
  const rows = rules.flatMap(([what, operations]) =>
    operations.map((one) => [what, one, operations.join(",")].map(quoteText).join(", ")),
  );
  return [
    mark,
    "use_rules (what, operation, operations) as (",
    "    values",
    rows.map((row) => `        (${row})`).join(",\n"),
    "),",
    "",
  ].join("\n");
}
