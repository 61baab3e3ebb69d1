import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { newDesk, query, type Desk } from "./desk.ts";

let desk: Desk;
let a: string;
let b: string;
beforeEach(async () => {
  desk = await newDesk();
  [a = "", b = ""] = desk.databases;
});
afterEach(() => desk[Symbol.asyncDispose]());

const snapshot = (...ids: string[]): Promise<Outcome> => desk.policy(["snapshot", ...ids]);
const rows = (sql: string): Promise<Row[]> => desk.remote.home.rows(sql);

/** Records that name policies in the log. */
const findNamed = (...ids: string[]): Record<string, unknown>[] =>
  ids.map((resource_id, i) => ({
    time: desk.remote.clock.nowMs / 1000 - 60,
    event_name: i % 2 === 0 ? "permission_policy_create" : "permission_policy_attach_user",
    id: `log-${desk.remote.clock.nowMs}-${i}`,
    resource_id,
    resource_name: `Policy ${resource_id}`,
  }));

it("reports progress to a program, and nothing under --quiet", async () => {
  const ids = [await desk.newPolicy(), await desk.newPolicy()];
  const { clock } = desk.remote;
  const listMessages = (...flags: string[]): Promise<Outcome> =>
    desk.policy(["snapshot", ...ids, "--progress", "json", ...flags], {
      now: () => (clock.nowMs += 6000),
    });
  const { code, err } = await listMessages();
  expect(code, err).toBe(0);
  expect(err).toContain('{"done":2,"total":2,"unit":"policies",');
  expect(await listMessages("--quiet")).toEqual({ code: 0, out: "", err: "" });
});

describe("the history of a policy", () => {
  it("starts, is confirmed, changes and ends", async () => {
    const id = await desk.newPolicy({ Databases: [{ operation: "manage" }, query(`${a},${b}`)] });
    const times: string[] = [];
    const at = async (): Promise<Outcome> => {
      const outcome = await snapshot(id);
      times.push(new Date(desk.remote.clock.nowMs).toISOString().replace("T", " ").slice(0, 19));
      return outcome;
    };
    expect((await at()).err).toBe("1 policy at default: 3 permissions in force, 3 new, 0 ended\n");
    expect((await at()).err).toBe("1 policy at default: 3 permissions in force, 0 new, 0 ended\n");
    // Nothing else is known of this source yet.
    const list = ["--source", "default", "policy", "list", "--format", "csv"];
    expect((await desk.remote.home.run(list)).out).toMatch(new RegExp(`\n${id},`));
    await desk.setElsewhere(id, { Databases: [query(b), { operation: "edit", ids: a }] });
    expect(await at()).toEqual({
      code: 0,
      out: `policy ${id}\n- Databases  manage\n- Databases  query   ${a}\n+ Databases  edit    ${a}\n`,
      err: "1 policy at default: 2 permissions in force, 1 new, 2 ended\n",
    });
    await desk.deletePolicy(id);
    expect(await at()).toEqual({
      code: 0,
      out: `policy ${id}\n- Databases  edit   ${a}\n- Databases  query  ${b}\n`,
      err: `1 policy at default: 0 permissions in force, 0 new, 2 ended, deleted: ${id}\n`,
    });

    const [first, second, third, fourth] = times;
    const columns =
      "operation, database_id, valid_from::varchar as from_time, valid_to::varchar as to_time, last_seen_at::varchar as seen";
    expect(
      await rows(
        `select ${columns} from policy_permissions order by valid_from, operation, database_id = '${b}'`,
      ),
    ).toEqual([
      { operation: "manage", database_id: null, from_time: first, to_time: third, seen: second },
      { operation: "query", database_id: a, from_time: first, to_time: third, seen: second },
      { operation: "query", database_id: b, from_time: first, to_time: fourth, seen: third },
      { operation: "edit", database_id: a, from_time: third, to_time: fourth, seen: third },
    ]);
    expect(await rows("select state, permissions from policy_snapshots order by read_at")).toEqual([
      { state: "present", permissions: "3" },
      { state: "present", permissions: "3" },
      { state: "present", permissions: "2" },
      { state: "gone", permissions: "0" },
    ]);
  });

  it("includes the members beside Databases, and compares them", async () => {
    const id = await desk.newPolicy({
      Databases: [query(a)],
      Jobs: [
        { operation: "run", name: "daily" },
        { operation: "view", id: "7" },
      ],
    });
    await snapshot(id);
    await desk.setElsewhere(id, { Jobs: [{ operation: "run", name: "weekly" }] });
    expect((await snapshot(id)).err).toContain("2 permissions in force, 1 new, 2 ended");
    const columns = "resource_kind, operation, object_id, object_name, database_id, details";
    expect(
      await rows(`select ${columns} from policy_permissions where valid_to is null order by all`),
    ).toEqual([
      {
        resource_kind: "Databases",
        operation: "query",
        object_id: a,
        object_name: null,
        database_id: a,
        details: null,
      },
      {
        resource_kind: "Jobs",
        operation: "run",
        object_id: null,
        object_name: "weekly",
        database_id: null,
        details: null,
      },
    ]);
  });

  it("does not depend on the order of the answer, or on a stopped clock", async () => {
    let set = `{"Databases":[{"operation":"query","ids":"1,2"},{"operation":"x","ids":[3],"b":1,"a":2}]}`;
    desk.interfere((_request, response) => {
      response.end(set);
      return true;
    });
    const now = (): number => desk.remote.clock.nowMs;
    await desk.policy(["snapshot", "7"], { now });
    set = `{"Databases":[{"a":2,"b":1,"ids":"3","operation":"x"},{"operation":"query","ids":"2,1"}]}`;
    desk.remote.clock.nowMs -= 3_600_000;
    expect((await desk.policy(["snapshot", "7"], { now })).err).toContain("0 new, 0 ended");
    set = `{"Databases":[]}`;
    desk.remote.clock.nowMs -= 3_600_000;
    expect((await desk.policy(["snapshot", "7"], { now })).err).toContain("0 new, 3 ended");
    expect(
      await rows("select valid_from from policy_permissions where valid_to <= valid_from"),
    ).toEqual([]);
    expect(await rows("select distinct details from policy_permissions order by all")).toEqual([
      { details: '{"a":2,"b":1}' },
      { details: null },
    ]);
  });
});

describe("policy snapshot without ids", () => {
  it("reports that no policy is known", async () => {
    const { code, err } = await snapshot();
    expect([code, err]).toEqual([
      0,
      "no policy is known yet; ingest the log first, name ids, or list them in sources.<name>.policies\n",
    ]);
  });

  it("reads those that the log names, except for deleted ones", async () => {
    const [one, two] = [await desk.newPolicy({ Databases: [query(a)] }), await desk.newPolicy()];
    await desk.remote.home.load(findNamed(one, two, "../x"));
    await desk.deletePolicy(two);
    desk.requests();
    const { code, err } = await snapshot();
    expect(code).toBe(0);
    expect(err).toMatch(/warning: skipped 1 policy id of the log: not valid in a URL path\n/);
    expect(err).toMatch(
      `2 policies at default: 1 permission in force, 1 new, 0 ended, deleted: ${two}\n`,
    );
    expect(desk.requests().sort()).toEqual(
      [one, two].sort().map((id) => `GET /v3/access_control/policies/${id}/permissions`),
    );
    await snapshot();
    expect(desk.requests()).toEqual([`GET /v3/access_control/policies/${one}/permissions`]);
    desk.remote.clock.nowMs += 3_600_000;
    await desk.remote.home.load(findNamed(two));
    await snapshot();
    expect(desk.requests()).toHaveLength(2);
    expect(await rows("select distinct policy_name from policy_permissions")).toEqual([
      { policy_name: `Policy ${one}` },
    ]);
  });

  it("reads those that the configuration names", async () => {
    const id = await desk.newPolicy({ Databases: [query(a)] });
    const config = desk.remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { prod: { policies: [Number(id)] } } }),
    );
    const { err } = await desk.policy(["snapshot", "--config", config]);
    expect(err).toBe("1 policy at prod: 1 permission in force, 1 new, 0 ended\n");
    const bad = desk.remote.home.write("bad.json", '{"sources":{"prod":{"policies":["../1"]}}}');
    const line = failureLine(await desk.policy(["snapshot", "--config", bad]), 2, []);
    expect(line).toMatch(/sources\.prod\.policies\.0: /);
  });

  it("refuses an invalid id before any request", async () => {
    expect(failureLine(await snapshot("1", "../2"), 2, [])).toMatch(/"\.\.\/2" is not a policy id/);
    expect(desk.requests()).toEqual([]);
  });
});

describe("a failure of policy snapshot", () => {
  it("for one policy that the key may not read leaves the others stored", async () => {
    const ids = [await desk.newPolicy({ Databases: [query(a)] }), await desk.newPolicy()];
    const [one, two] = ids as [string, string];
    desk.interfere((request, response) => {
      if (!request.url!.includes(one)) return false;
      response.writeHead(403).end();
      return true;
    });
    const { code, err } = await snapshot(one, two);
    expect(code).toBe(6);
    expect(err).toMatch(new RegExp(`^error: policy ${one}: .*403`, "m"));
    expect(err).toMatch("1 policy at default: 0 permissions in force");
    expect(await rows("select policy_id from policy_snapshots")).toEqual([{ policy_id: two }]);
    desk.interfere((request, response) => {
      response.writeHead(request.url!.includes(two) ? 401 : 200).end('{"Databases":[]}');
      return true;
    });
    expect((await snapshot(one, two)).code).toBe(4);
    expect(await rows("select policy_id from policy_snapshots")).toHaveLength(1);
  });

  it("for an unreadable policy is reported; the others are stored", async () => {
    const [one, two] = [await desk.newPolicy({ Databases: [query(a)] }), await desk.newPolicy()];
    await snapshot(one, two);
    desk.interfere((request, response) => {
      if (!request.url!.includes(two)) return false;
      response.end('{"error":"CANARY"}');
      return true;
    });
    await desk.setElsewhere(one, { Databases: [query(`${a},${b}`)] });
    const { code, err } = await snapshot(one, two);
    expect(code).toBe(6);
    expect(err).toMatch(
      `error: policy ${two}: GET /v3/access_control/policies/${two}/permissions is not a permission set`,
    );
    expect(err).toMatch("1 policy at default: 2 permissions in force, 1 new, 0 ended\n");
    expect(err).not.toContain("CANARY");
    expect((await snapshot(two)).code).toBe(1);
  });

  it("for an id that was never seen is reported", async () => {
    const id = await desk.newPolicy({ Databases: [query(a)] });
    const { code, err } = await snapshot(id, "404");
    expect(code).toBe(6);
    expect(err).toMatch("error: policy 404: it does not exist: the service answered 404\n");
    expect(err).toMatch("1 policy at default: 1 permission in force, 1 new, 0 ended\n");
    expect(await rows("select policy_id from policy_snapshots")).toEqual([{ policy_id: id }]);
  });

  it.each([
    [401, "one of them"],
    [403, "all"],
  ])("for a refused key ends no policy: %i for %s", async (status, whom) => {
    const [one, two] = [await desk.newPolicy({ Databases: [query(a)] }), await desk.newPolicy()];
    await snapshot(one, two);
    const before = await desk.history();
    desk.interfere((request, response) => {
      if (whom !== "all" && !request.url!.includes(two)) return false;
      response.writeHead(status).end();
      return true;
    });
    expect(failureLine(await snapshot(one, two), 4, [desk.remote.key])).toMatch(
      new RegExp(`${status} .*refused the key`),
    );
    expect(await desk.history()).toEqual(before);
  });

  it("for a service that knows no policy at all ends none", async () => {
    const ids = [await desk.newPolicy({ Databases: [query(a)] }), await desk.newPolicy()];
    await desk.remote.home.load(findNamed(...ids));
    await snapshot();
    const before = await desk.history();
    const env = {
      ...desk.remote.env(),
      AUDITLAKE_BASE_URL: `${desk.remote.env()["AUDITLAKE_BASE_URL"]}/wrong`,
    };
    const line = failureLine(await desk.policy(["snapshot"], { env }), 1, []);
    expect(line).toMatch(
      /knows none of the 2 policies \(404 each\); nothing was stored; check base_url/,
    );
    expect(await desk.history()).toEqual(before);
    for (const id of ids) await desk.deletePolicy(id);
    expect((await snapshot(...ids)).err).toContain(`1 ended, deleted: ${ids.join(", ")}`);
  });
});
