import {
  classifiedAs,
  buildEntry,
  expectedFor,
  one,
  request,
  type Case,
  type Expected,
} from "./case.ts";

const depths = ["users", "users/5", "users/5/policies/6", "policies/1/permissions/2/3/4/5/6/7/8"];
export const wildcards: Case[] = ["GET", "POST", "PUT", "PATCH", "DELETE"].flatMap((verb) =>
  depths.map((rest) =>
    one(
      `${verb} /v4/access_control/${rest}`,
      request("permission_unauthorized_access", verb, `/v4/access_control/${rest}`),
      classifiedAs(buildEntry("permission_unauthorized_access"), "documented_operation", {
        verb,
        path: "/v4/access_control/*",
        written: null,
      }),
    ),
  ),
);

export const undocumented: Case[] = [
  ...[
    ["table_create", "POST", "/internal/tables"],
    ["table_delete", "DELETE", "/tables/99"],
    ["job_kill", "GET", "/v4/jobs/7"],
    ["job_kill", null, "/v4/jobs/7"],
    ["job_kill", "DELETE", null],
    ["job_kill", "DELETE", "/"],
    ["job_kill", "DELETE", "/v4/jobs//"],
    ["job_kill", "DELETE", "/v4/jobs/7/8"],
    ["job_kill", "DELETE", "/V4/jobs/7"],
    ["user_apikey_delete", "DELETE", "/v4/apiXkeys/3"],
    ["permission_unauthorized_access", "GET", "/v4/access_control"],
    ["permission_unauthorized_access", "HEAD", "/v4/access_control/users"],
    ["role_create", "POST", "/v4/roles%"],
  ].map(([event, verb, path]) =>
    one(
      `${event} on ${verb} ${path}`,
      request(event!, verb!, path!),
      expectedFor(event!, "undocumented_operation"),
    ),
  ),
  one("an address-list change without a path", request("ip_whitelist_modify", null, null), {
    ...classifiedAs(buildEntry("ip_whitelist_modify", "Account", "add address"), ""),
    variant: null,
    catalog_match: "undocumented_operation",
  }),
];

const jobKill = (path: string): Expected =>
  classifiedAs(buildEntry("job_kill"), "documented_operation", {
    verb: path.startsWith("/v4") ? "DELETE" : "POST",
    path,
    written: null,
  });
export const fallbacks: Case[] = [
  one(
    "verb and path under their older names",
    { event_name: "job_kill", http_verb: "DELETE", requested_path: "/v4/jobs/7" },
    jobKill("/v4/jobs/:id"),
  ),
  one(
    "empty text under the newer names",
    {
      event_name: "job_kill",
      requested_http_verb: "",
      http_verb: "delete",
      requested_path_info: "",
      requested_path: "v4/jobs/7",
    },
    jobKill("/v4/jobs/:id"),
  ),
  one(
    "both names, of which the newer counts",
    {
      event_name: "job_kill",
      requested_http_verb: "POST",
      http_verb: "DELETE",
      requested_path_info: "/jobs/7/kill",
      requested_path: "/v4/jobs/7",
    },
    jobKill("/jobs/:id/kill"),
  ),
];

export const parameters: Case[] = ["a.b", "50%", "a_b", "ä ö", "new", "..", "x.tar.gz", "a?b"].map(
  (id) =>
    one(`the id ${id}`, request("job_kill", "DELETE", `/v4/jobs/${id}`), jobKill("/v4/jobs/:id")),
);
const dotFile = buildEntry("insufficient_permission");
export const files: Case[] = [".gitignore", "main.dig", "config.d.yml"].map((name) =>
  one(
    `the file ${name}`,
    request("insufficient_permission", "GET", `/api/logs/4/files/${name}`),
    classifiedAs(dotFile, "documented_operation", {
      verb: "GET",
      path: "/api/logs/{attempt_id}/files/{file_name}",
      written: null,
    }),
  ),
);
