import { classifiedAs, buildEntry, expectedFor, one, request, unknown, type Case } from "./case.ts";

const current = "Audience area (current)";

export const denials: Case[] = ["denied", "Denied", "DENIED"].flatMap((result) => {
  const fromPath = classifiedAs(
    buildEntry("segment_create", current),
    "documented_operation",
    buildEntry("segment_create", current).operations[0],
  );
  const denied = { denial_kind: "folder_permission_denial", outcome: "denied" };
  return [
    one(
      `a segment ${result}, under the older field names`,
      {
        event_name: "segment_create",
        requested_http_verb: "POST",
        requested_path: "/entities/segments",
        event_result: result,
      },
      { ...fromPath, ...denied },
    ),
    one(
      `a legacy event ${result}`,
      request("audience_run", "POST", "/audiences/5/run", { event_result: result }),
      {
        ...classifiedAs(
          buildEntry("audience_run"),
          "documented_operation",
          buildEntry("audience_run").operations[0],
        ),
        ...denied,
      },
    ),
    one(`a query ${result}`, request("job_issue", null, null, { event_result: result }), {
      ...expectedFor("job_issue", "undocumented_operation"),
      outcome: "denied",
    }),
    one(
      `an unknown event ${result}`,
      request("column_query", null, null, { event_result: result }),
      { ...unknown, outcome: "denied" },
    ),
    one(
      `a hidden column ${result}`,
      request("segments.create.column_visibility_violation", null, null, { event_result: result }),
      expectedFor("segments.create.column_visibility_violation", "undocumented_operation"),
    ),
    one(
      `a failed sign-in ${result}`,
      request("sign_in_failed", null, null, { event_result: result }),
      expectedFor("sign_in_failed", "undocumented_operation"),
    ),
  ];
});

export const results: Case[] = [null, "", "success", "denied by policy"].map((result) =>
  one(
    `a segment with the result ${JSON.stringify(result)}`,
    request("funnel_create", null, null, { event_result: result }),
    expectedFor("funnel_create", "undocumented_operation"),
  ),
);
