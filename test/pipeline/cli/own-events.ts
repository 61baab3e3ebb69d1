import type { TestHome } from "../../support/home.ts";

// Events that a user adds to the catalog, and records of them.

/** The second of the first record. */
export const time = 1_767_225_600;

/** A catalog of one's own. */
export const extra = {
  area: "Table",
  events: [
    {
      event: "table_create",
      variant: "internal",
      operations: ["POST /internal/tables"],
      columns: ["IDN"],
    },
    { event: "table_pin", operations: ["POST /v4/tables/:id/pin"], aliases: ["table_fix"] },
  ],
};

/** Records of its events. */
export const mine = [
  {
    time,
    event_name: "table_create",
    requested_http_verb: "POST",
    requested_path_info: "/internal/tables",
  },
  {
    time,
    event_name: "table_fix",
    requested_http_verb: "POST",
    requested_path_info: "/v4/tables/9/pin",
  },
  {
    time,
    event_name: "table_pin",
    requested_http_verb: "POST",
    requested_path_info: "/v4/tables/9",
  },
];

/** What is shown of them. */
export const shown =
  "select event_name, canonical_name, variant, area, operation, catalog_match from events order by event_name";

/** Writes a catalog of one's own, and a configuration that names it, whose path it returns. */
export function configuredIn({ write }: Pick<TestHome, "write">, content: unknown): string {
  write("mine.json", JSON.stringify(content));
  return write("auditlake.json", JSON.stringify({ catalog: { extra: "mine.json" } }));
}
