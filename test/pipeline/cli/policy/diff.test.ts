import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import { newDesk, type Desk } from "./desk.ts";

let desk: Desk;
let id: string;
let a: string;
let b: string;
beforeAll(async () => {
  desk = await newDesk();
  [a = "", b = ""] = desk.databases;
  id = await desk.newPolicy({
    Databases: [{ operation: "manage" }, { operation: "query", ids: `${a},${b}` }],
  });
});
afterAll(() => desk[Symbol.asyncDispose]());

function diff(set: unknown, ...argv: string[]): Promise<Outcome> {
  const file = desk.remote.home.write("set.json", JSON.stringify(set));
  return desk.policy(["diff", id, "--file", file, ...argv]);
}

describe("policy diff", () => {
  it("ignores the order", async () => {
    const set = { Databases: [{ operation: "query", ids: `${b},${a}` }, { operation: "manage" }] };
    expect(await diff(set, "--strict")).toEqual({
      code: 0,
      out: "",
      err: `policy ${id}: same as the file\n`,
    });
  });

  it("shows what setting the file would add and revoke; --strict makes it a finding", async () => {
    const set = {
      Databases: [
        { operation: "query", ids: a },
        { operation: "edit", ids: b },
      ],
    };
    const found = {
      out: `- Databases  manage\n- Databases  query   ${b}\n+ Databases  edit    ${b}\n`,
      err: `policy ${id}: 1 permission added, 2 removed, 1 unchanged\n`,
    };
    expect(await diff(set)).toEqual({ code: 0, ...found });
    expect(await diff(set, "--strict")).toEqual({ code: 3, ...found });
    const { code, out } = await diff(set, "--format", "json");
    const row = { resource_kind: "Databases", object_name: null, details: null };
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        policy_id: id,
        added: [{ ...row, operation: "edit", object_id: b }],
        removed: [
          { ...row, operation: "manage", object_id: null },
          { ...row, operation: "query", object_id: b },
        ],
        kept: 1,
      },
    ]);
    expect(desk.requests().filter((request) => !request.startsWith("GET"))).toEqual([]);
  });

  it("compares a file that could only be sent with --undocumented", async () => {
    const set = { Databases: [{ operation: "query" }], Jobs: [{ operation: "run", name: "x" }] };
    expect((await diff(set)).out).toContain('+ Jobs       run     "x"\n');
  });

  it("refuses moments in the wrong order", async () => {
    const moments = ["--from", "2026-03-02", "--to", "2026-03-01"];
    expect(failureLine(await desk.policy(["diff", "1", ...moments]), 2, [])).toContain(
      "--from 2026-03-02 is after --to 2026-03-01",
    );
  });

  it("refuses a file that cannot be set at all, and a policy that does not exist", async () => {
    const bad = { Databases: [{ operation: "query", ids: `${a}, ${b}` }] };
    expect(failureLine(await diff(bad), 2, [])).toMatch(/Databases\[0\]: ids contains spaces/);
    const file = desk.remote.home.write("none.json", '{"Databases":[]}');
    const none = await desk.policy(["diff", "404", "--file", file]);
    expect(failureLine(none, 1, [])).toMatch(/policy 404 does not exist/);
  });
});
