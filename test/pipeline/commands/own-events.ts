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
