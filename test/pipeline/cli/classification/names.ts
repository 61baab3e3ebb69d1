import { catalog } from "../../../../schemas/generated/catalog.ts";
import { classifiedAs, expectedFor, one, request, unknown, type Case } from "./case.ts";

const legacy = "Audience area (legacy)";
const current = "Audience area (current)";

export const sharedNames = [
  ...new Set(catalog.entries.filter((e) => e.generation === "legacy").map((e) => e.event)),
].filter((event) => catalog.entries.some((e) => e.event === event && e.generation === "current"));

export const generations: Case[] = sharedNames.flatMap((event) => {
  const newUndocumented = (path: string | null, area: string): Case =>
    one(`${event} on ${path}`, request(event, "GET", path), {
      ...expectedFor(event, "undocumented_operation", area),
    });
  return [
    newUndocumented("/entities/somewhere/else/entirely/new", current),
    newUndocumented("/reporting/entities", current),
    newUndocumented("entities/1/2/3/4/5/6.json?x", current),
    newUndocumented("/audiences/5/nowhere/at/all?next=/entities/segments", legacy),
    newUndocumented("/audiences/5/nowhere/at/entities_of_old", legacy),
    newUndocumented(null, legacy),
    newUndocumented("", legacy),
  ];
});

export const onlyCurrent = catalog.entries
  .filter((e) => e.generation === "current" && !sharedNames.includes(e.event))
  .map((e) =>
    one(`${e.event} without a path`, request(e.event, null, null), {
      ...classifiedAs(e, "undocumented_operation"),
    }),
  );

export const aliases: Case[] = [
  ...catalog.entries.flatMap((e) =>
    e.aliases
      .filter((alias) => !alias.onlyWithPath)
      .map(({ name }) =>
        one(`${name} without a path`, request(name, null, null), classifiedAs(e, "alias")),
      ),
  ),
  one(
    "an alias on an unknown path",
    request("schedule_run", "POST", "/v9/schedules/1/run"),
    expectedFor("query_run", "alias"),
  ),
  one(
    "an alias of two events on the path of neither",
    request("engage_email_sender_delete", "DELETE", "/api/other/1"),
    expectedFor("delivery_email_sender_delete", "alias"),
  ),
];

export const unknowns: Case[] = [
  "column_query",
  "",
  "Job_issue",
  "job_issue ",
  "job%issue",
  null,
].map((name) =>
  one(`the name ${JSON.stringify(name)}`, request(name!, "POST", "/v4/jobs"), { ...unknown }),
);

export const triggers: Case[] = catalog.entries.flatMap((e) => {
  const match = e.operationNotShown ? "operation_not_shown" : "non_http_trigger";
  if (e.trigger === null && !e.operationNotShown) return [];
  const paths = e.operations.length === 0 ? [null, "/v4/account"] : [null];
  return paths.map((path) =>
    one(`${e.event} on ${path}`, request(e.event, "GET", path), classifiedAs(e, match)),
  );
});
