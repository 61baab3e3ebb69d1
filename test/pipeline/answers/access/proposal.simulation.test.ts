import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalog } from "../../../../schemas/generated/catalog.ts";
import { databaseOperations } from "../../../../schemas/policies.ts";
import uses from "../../../../schemas/uses.json" with { type: "json" };
import { formatLines, homeWithWarehouse } from "../../../support/home.ts";
import { playCompanies } from "./play.ts";

test("every use belongs to an event of the catalog, and to operations that seed 000 shows", () => {
  const events = new Set(catalog.entries.map(({ event }) => event));
  expect(Object.keys(uses.events).filter((event) => !events.has(event))).toEqual([]);
  const needed = [...Object.values(uses.jobs), ...Object.values(uses.events)].flat();
  expect(
    needed.filter((operation) => !databaseOperations.some((known) => known === operation)),
  ).toEqual([]);
});

const nowMs = Date.UTC(2026, 5, 1);
const at = (daysAgo: number, event_name: string, more: object): object => ({
  id: `${daysAgo}-${event_name}`,
  time: nowMs / 1000 - daysAgo * 86_400,
  event_name,
  user_id: 7,
  ...more,
});
const records = [
  at(300, "database_create", { resource_id: "1", resource_name: "crm", user_id: 1 }),
  at(300, "database_modify", { resource_id: "2", resource_name: "web", user_id: 1 }),
  at(290, "permission_policy_create", { resource_id: "40", resource_name: "Analysts" }),
  at(289, "permission_policy_modify", {
    resource_id: "40",
    resource_name: "Analysts",
    old_value: '{"Databases":[]}',
    new_value:
      '{"Databases":[{"operation":"manage"},{"operation":"query","ids":"2"}],"Workflows":[{"operation":"run"}]}',
  }),
  at(288, "permission_policy_attach_user", { resource_id: "40", affected_user_id: 7 }),
  at(287, "permission_policy_attach_user", { resource_id: "40", affected_user_id: 8 }),
  at(286, "permission_policy_create", { resource_id: "41", resource_name: "Readers" }),
  at(285, "permission_policy_modify", {
    resource_id: "41",
    old_value: '{"Databases":[]}',
    new_value: '{"Databases":[{"operation":"query","ids":"2"}]}',
  }),
  at(284, "permission_policy_attach_user", { resource_id: "41", affected_user_id: 7 }),
  at(200, "table_preview", { resource_name: "web.t" }),
  at(3, "job_issue", {
    resource_id: "99",
    job_type: "presto",
    resource_name: "web.99",
    query_text: "select * from crm.orders",
    requested_http_verb: "POST",
    requested_path_info: "/v3/job/issue/presto/web",
  }),
];

test("a proposal is a file, lists who would lose what, and replays the complete log", async () => {
  using home = await homeWithWarehouse();
  const users = home.write("users.json", '{"users":[{"id":7,"email":"Ann@example.com"}]}');
  const log = home.write("log.ndjson", formatLines(records as never));
  const now = (): number => nowMs;
  const env = { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "60s" };
  const imported = await home.run(["import", log, "--users", users], { now, env });
  expect(imported).toMatchObject({ code: 0 });
  const out = join(home.home, "..", "least.json");
  const argv = ["policy", "propose", "analysts", "--out", out, "--format", "csv"];
  const done = await home.run(argv, { now });
  expect(done.out.split("\r\n").slice(1)).toEqual([
    '"ann@example.com",manage,,"2026-05-29 00:00:00",no',
    '"ann@example.com",query,2,"2025-11-13 00:00:00",yes',
    ...["manage,", "query,2"].map(
      (right) =>
        `"user 8",${right},"none since 2025-08-05T00:00:00Z up to 2026-05-29T00:00:00Z",no`,
    ),
    "",
  ]);
  expect(done.err).toContain("policy 40: 2 members, 2 rights on databases, 1 proposed");
  expect(done.err).toContain(
    "replay: 1 of 2 recorded uses might have been denied, of ann@example.com",
  );
  // What the text reads counts, not the database that the job ran on.
  expect(JSON.parse(readFileSync(out, "utf8"))).toEqual({
    Databases: [{ operation: "query", ids: "1" }],
  });
  const wider = await home.run([...argv, "--unused", "1y"], { now });
  expect(wider).toMatchObject({ code: 2 });
  await home.run([...argv, "--unused", "250d"], { now });
  expect(readFileSync(out, "utf8")).toContain('"1,2"');
});

// The laboratory plays many more companies, and sees that some uses would be denied (test/fault/proposals.ts).
test("a proposal covers the observed uses, seed 1", async () => {
  const { complaints, uses } = await playCompanies(6, 1);
  expect(complaints).toEqual([]);
  expect(uses).toBeGreaterThan(5);
});
