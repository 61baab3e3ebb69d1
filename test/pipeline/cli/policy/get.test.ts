import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import { newDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(async () => void (desk = await newDesk()));
afterEach(() => desk[Symbol.asyncDispose]());

/** Answers as a service that says more than the reference shows. */
const answerWith = (text: string): void =>
  desk.interfere((_request, response) => {
    response.setHeader("Content-Type", "application/json").end(text);
    return true;
  });

describe("policy get", () => {
  it("shows a row for each permission", async () => {
    const [a = "", b = ""] = desk.databases;
    const id = await desk.newPolicy({
      Databases: [{ operation: "manage" }, { operation: "query", ids: `${a},${b}` }],
    });
    const { code, out, err } = await desk.policy(["get", id]);
    expect([code, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^resource_kind +operation +object_id$/);
    expect(lines.slice(2).map((line) => line.trim().split(/ +/))).toEqual([
      ["Databases", "manage"],
      ...[a, b].sort((x, y) => Number(x) - Number(y)).map((id) => ["Databases", "query", id]),
    ]);
    expect(desk.requests()).toEqual([`GET /v3/access_control/policies/${id}/permissions`]);
  });

  it("shows and retains what the reference does not show, with every digit and in its order", async () => {
    const lines = [
      "{",
      '  "Jobs": [',
      "    {",
      '      "operation": "run",',
      '      "name": "a\\u202eb"',
      "    }",
      "  ],",
      '  "Databases": [',
      "    {",
      '      "operation": "query",',
      '      "limit": 9007199254740993',
      "    }",
      "  ]",
      "}",
      "",
    ];
    answerWith(lines.join("").replaceAll(/ /g, ""));
    const table = await desk.policy(["get", "7"]);
    expect(table.out).toMatch(/^resource_kind +operation +object_id +object_name +details *$/m);
    expect(table.out).toMatch(/Databases +query +\{"limit":9007199254740993\}/);
    expect(table.out).toMatch(/Jobs +run +a\\u202eb/);
    const json = await desk.policy(["get", "7", "--format", "json"]);
    expect(json.out.split("\n")).toEqual(lines);
  });

  it("accepts the forms of rows only for a moment", async () => {
    const asked = await desk.policy(["get", "1", "--format", "csv"]);
    expect(failureLine(asked, 2, [])).toContain(
      "--format csv requires --on; expected table or json",
    );
  });

  it("reports that a policy does not exist", async () => {
    const line = failureLine(await desk.policy(["get", "404"]), 1, [desk.remote.key]);
    expect(line).toBe(
      "error: policy 404 does not exist: the service answered 404; check the id and base_url",
    );
  });

  it("exits with the code for a refused key if the caller may not read", async () => {
    const id = await desk.newPolicy();
    const analyst = desk.access.users().find((user) => !user.administrator)!;
    for (const [key, status] of [
      ["unknown", 401],
      [desk.access.findKey(analyst.email), 403],
    ] as const) {
      const env = { ...desk.remote.env(), AUDITLAKE_API_KEY: key };
      const line = failureLine(await desk.policy(["get", id], { env }), 4, [key]);
      expect(line).toMatch(
        `answered ${status} to GET /v3/access_control/policies/${id}/permissions`,
      );
    }
  });

  it.each(["../1", "", "1/permissions", "1?x=1", "a b"])(
    "sends no request for the id %j",
    async (id) => {
      const line = failureLine(await desk.policy(["get", id]), 2, []);
      expect(line).toBe(
        `error: ${JSON.stringify(id)} is not a policy id; expected the id of a policy, such as 1234`,
      );
      expect(desk.requests()).toEqual([]);
    },
  );

  it("refuses an answer that is not a permission set", async () => {
    answerWith('{"message":"CANARY"}');
    const line = failureLine(await desk.policy(["get", "7"]), 1, ["CANARY"]);
    expect(line).toMatch(/is not a permission set; expected \{"Databases":/);
  });
});
