import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../../../support/failure.ts";
import type { Outcome } from "../../../../support/command.ts";
import { newDesk, query, type Desk } from "../desk.ts";

let desk: Desk;
let a: string;
let b: string;
beforeEach(async () => {
  desk = await newDesk();
  [a = "", b = ""] = desk.databases;
});
afterEach(() => desk[Symbol.asyncDispose]());

const snapshot = (...ids: string[]): Promise<Outcome> => desk.policy(["snapshot", ...ids]);

describe("a service that answers 200 without the rights of its policies", () => {
  it("ends no policy if every right of several policies would end at once", async () => {
    const sets = [query(a), query(b)].map((entry) => ({ Databases: [entry] }));
    const [one, two] = [await desk.newPolicy(sets[0]), await desk.newPolicy(sets[1])];
    const record = { time: desk.remote.clock.nowMs / 1000, event_name: "permission_policy_create" };
    await desk.remote.home.load([one, two].map((id) => ({ ...record, id, resource_id: id })));
    expect(await snapshot()).toMatchObject({ code: 0 });
    const before = await desk.history();
    const empty: string[] = [one, two];
    desk.interfere((request, response) => {
      if (!empty.some((id) => request.url!.includes(id))) return false;
      response.end('{"Databases":[]}');
      return true;
    });
    expect(failureLine(await snapshot(), 1, [])).toMatch(
      /2 policies would lose all permissions at the same time; .*nothing was stored; check with policy get/,
    );
    expect(await desk.history()).toEqual(before);
    empty.pop();
    expect((await snapshot()).err).toContain("1 permission in force, 0 new, 1 ended");
    expect((await snapshot(two)).err).toContain("1 permission in force, 0 new, 0 ended");
  });

  it("ends no policy if the answer states that it is an error", async () => {
    const id = await desk.newPolicy({ Databases: [query(a)] });
    await snapshot(id);
    const before = await desk.history();
    desk.interfere((_request, response) => {
      response.end('{"success":false,"error":"CANARY","Databases":[]}');
      return true;
    });
    const { code, err } = await snapshot(id);
    expect([code, err]).toEqual([1, expect.stringMatching(/has error, success beside/)]);
    expect(err).not.toContain("CANARY");
    expect(await desk.history()).toEqual(before);
  });
});
