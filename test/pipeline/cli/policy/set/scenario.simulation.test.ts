import { expect, test } from "vitest";
import { newDesk } from "../desk.ts";

// The documented scenario (seed 000, Endpoints, rule 2) through the command line.

test("a policy with manage, edit, query and import gets exactly the set of the PATCH, and edit is removed", async () => {
  await using desk = await newDesk();
  const [a, b, c, d, e, f] = desk.databases.map(Number).sort((x, y) => x - y) as number[];
  const id = await desk.newPolicy({
    Databases: [
      { operation: "manage" },
      { operation: "edit", ids: `${a}` },
      { operation: "query", ids: `${a},${b},${c}` },
      { operation: "import", ids: `${a},${d}` },
    ],
  });
  const { home } = desk.remote;
  expect((await desk.policy(["snapshot", id])).err).toContain("7 permissions in force, 7 new");
  const wanted = {
    Databases: [
      { operation: "manage" },
      { operation: "import", ids: `${a},${e},${f}` },
      { operation: "query", ids: `${a},${b}` },
    ],
  };
  const file = home.write("wanted.json", JSON.stringify(wanted));
  desk.requests();
  const set = await desk.policy(["set", id, "--file", file, "--yes"]);
  expect(set).toMatchObject({ code: 0 });
  expect(set.out).toBe("");
  expect(set.err.split("policy ")[0]).toBe(
    [
      `- Databases  edit    ${a}`,
      `- Databases  import  ${d}`,
      `- Databases  query   ${c}`,
      `+ Databases  import  ${e},${f}`,
      "",
    ].join("\n"),
  );
  const path = `/v3/access_control/policies/${id}/permissions`;
  expect(desk.requests()).toEqual([`GET ${path}`, `GET ${path}`, `PATCH ${path}`, `GET ${path}`]);
  expect(desk.setOf(id)).toEqual(wanted);

  const got = await desk.policy(["get", id, "--format", "json"]);
  expect(JSON.parse(got.out)).toEqual(wanted);
  expect((await desk.policy(["diff", id, "--file", file, "--strict"])).code).toBe(0);
  expect(await desk.policy(["snapshot"])).toMatchObject({ code: 0 });
  desk.remote.clock.nowMs += 3_600_000;
  expect((await desk.remote.ingest(["--from", "1d"])).code).toBe(0);

  const permissions = [
    ["import", a],
    ["import", e],
    ["import", f],
    ["manage", null],
    ["query", a],
    ["query", b],
  ].map(([operation, database]) => ({
    operation,
    database_id: database === null ? null : String(database),
  }));
  const columns = "operation, database_id from policy_permissions";
  const inForce = `select ${columns} where valid_to is null and policy_id = '${id}' order by operation, length(database_id), database_id`;
  expect(await home.rows(inForce)).toEqual(permissions);
  const ended = `select ${columns} where valid_to is not null order by all`;
  expect(await home.rows(ended)).toEqual([
    { operation: "edit", database_id: `${a}` },
    { operation: "import", database_id: `${d}` },
    { operation: "query", database_id: `${c}` },
  ]);
  const names = "select distinct policy_name from policy_permissions";
  expect(await home.rows(names)).toEqual([{ policy_name: "Policy 1" }]);

  const held = `
    select operation, database_id from permission_changes
    where subject_kind = 'policy' and subject_id = '${id}' and resource_kind = 'Databases'
    group by operation, database_id
    having arg_max(change, event_time) = 'granted' order by operation, length(database_id), database_id`;
  expect(await home.rows(held)).toEqual(permissions);
});
