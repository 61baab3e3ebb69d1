import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outcome } from "../../../support/command.ts";
import { newDesk, type Desk } from "./desk.ts";

let desk: Desk;
let id: string;
let a: string;
beforeEach(async () => {
  desk = await newDesk();
  a = desk.databases[0]!;
  id = await desk.newPolicy({
    Databases: [{ operation: "download" }, { operation: "query", ids: a }],
  });
});
afterEach(() => desk[Symbol.asyncDispose]());

const set = (...argv: string[]): Promise<Outcome> => desk.policy(["set", id, ...argv]);
const patches = (): number => desk.requests().filter((line) => line.startsWith("PATCH")).length;

it("a file of a folder that is named after no policy is refused without a request", async () => {
  const allowed = '{"Databases":[{"operation":"manage"}]}';
  const folder = dirname(desk.remote.home.write("sets/..%2Fusers.json", allowed));
  desk.requests();
  for (const verb of ["plan", "apply"]) {
    const { code, err } = await desk.policy([verb, folder]);
    expect([code, err]).toEqual([2, expect.stringContaining('"..%2Fusers" is not a policy id')]);
  }
  expect(desk.requests()).toEqual([]);
});

describe("content besides permissions", () => {
  const answer = (body: string) => {
    desk.interfere((request, response) => {
      if (request.method !== "GET") return false;
      response.writeHead(200, { "Content-Type": "application/json" }).end(body);
      return true;
    });
  };
  const writeSet = (text: string): string => desk.remote.home.write("set.json", text);

  it.each(["null", '""'])("with ids %s of manage is accepted, and not sent", async (ids) => {
    answer(`{"updated_at":7,"Databases":[{"operation":"manage","ids":${ids}}]}`);
    const { err } = await set("--grant", `query:${a}`, "--dry-run");
    expect(err).toContain("1 permission added, 0 removed, 1 unchanged");
    await set("--grant", `query:${a}`, "--yes");
    expect(desk.setOf(id)).toEqual({
      Databases: [{ operation: "manage" }, { operation: "query", ids: a }],
    });
  });

  it.each(["null", '""'])(
    "with ids %s of query is refused before anything is sent",
    async (ids) => {
      answer(`{"Databases":[{"operation":"query","ids":${ids}}]}`);
      expect(await set("--grant", "manage", "--yes", "--allow-undocumented")).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^error: .*ids .* expected database ids/),
      });
      expect(patches()).toBe(0);
      // A revocation does not require knowledge of the entry's meaning.
      await set("--revoke", "query", "--grant", "manage", "--yes");
      expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "manage" }] });
    },
  );

  it("of single values in a file is skipped, and the rest compared", async () => {
    const text = `{"updated_at":"today","version":${"9".repeat(20)},"Databases":[{"operation":"manage","ids":null}]}`;
    expect(await desk.policy(["diff", id, "--file", writeSet(text)])).toMatchObject({
      code: 0,
      out: expect.not.stringContaining("updated_at"),
    });
    expect(await set("--file", writeSet(text), "--yes")).toMatchObject({ code: 0 });
    expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "manage" }] });
  });

  it("that names Databases twice is refused, in a file and in an answer", async () => {
    const twice = `{"Databases":[{"operation":"manage"}],"Databases":[{"operation":"query","ids":"${a}"}]}`;
    expect(await set("--file", writeSet(twice), "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining('"Databases" twice'),
    });
    expect(desk.requests()).toEqual([]);
    answer(twice);
    expect(await set("--grant", "manage", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining('has the key "Databases" twice'),
    });
    expect(patches()).toBe(0);
  });

  it("without anything, an empty object, is not a valid answer", async () => {
    answer("{}");
    for (const argv of [
      ["get", id],
      ["set", id, "--grant", "manage", "--yes"],
      ["snapshot", id],
    ])
      expect(await desk.policy(argv)).toMatchObject({
        code: 1,
        err: expect.stringContaining("is not a permission set"),
      });
    expect(await desk.remote.home.rows("select * from policy_permissions")).toEqual([]);
    expect(patches()).toBe(0);
  });
});
