import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { landSnapshot } from "../../../../../pipeline/core/landing/policies.ts";
import type { Outcome } from "../../../../support/command.ts";
import { failureLine } from "../../../../support/failure.ts";
import { newDesk, type Desk } from "../desk.ts";

// Data that is read under a wrong clock would count as the newest until its time has come.

const dayMs = 86_400_000;
let desk: Desk;
let id: string;
beforeEach(async () => {
  desk = await newDesk();
  id = await desk.newPolicy({ Databases: [{ operation: "manage" }] });
});
afterEach(() => desk[Symbol.asyncDispose]());

const off = (days: number, ...argv: string[]): Promise<Outcome> =>
  desk.policy(argv, { now: () => desk.remote.clock.nowMs + days * dayMs });

describe("a clock that is days off", () => {
  it.each([365, -3])("by %i days stores no snapshot, also of a deleted policy", async (days) => {
    expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
    const before = await desk.history();
    const words = /machine's clock is \d+ d (ahead of|behind) the service's, .*nothing was stored/;
    expect(failureLine(await off(days, "snapshot", id), 1, [])).toMatch(words);
    await desk.deletePolicy(id);
    expect(failureLine(await off(days, "snapshot", id), 1, [])).toMatch(words);
    expect(await desk.history()).toEqual(before);
    expect((await off(1, "snapshot", id)).err).toContain(`deleted: ${id}`);
  });

  it("sends nothing, and stores no change", async () => {
    desk.requests();
    const set = await off(365, "set", id, "--grant", "download", "--yes");
    expect(failureLine(set, 1, [])).toMatch(/clock is 365 d ahead of the service's/);
    expect(desk.requests()).toEqual([`GET /v3/access_control/policies/${id}/permissions`]);
    expect((await desk.policy(["changes"])).err).toContain("0 changes");
  });
});

describe("a snapshot that an earlier version stored with such a clock", () => {
  it("is reported by the next one, which stores nothing after it, and can be removed", async () => {
    const { home } = desk.remote;
    expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
    const body = '{"Databases":[]}';
    const wrong = {
      version: 1,
      snapshot_id: "20270304T120000Z-00000000",
      source: "default",
    } as const;
    const landing = join(home.home, "landing");
    await landSnapshot(landing, {
      ...wrong,
      policies: [{ policy_id: id, read_at: "2027-03-04 12:00:00.000", body }],
    });
    const line = failureLine(await desk.policy(["snapshot", id]), 1, []);
    expect(line).toMatch(
      /snapshot 20270304\S+ of default has the time 2027-03-04T12:00:00.000Z, which is in the future; /,
    );
    rmSync(join(landing, "policies", `${wrong.snapshot_id}.json.zst`));
    expect(await home.run(["rebuild", "--force"])).toMatchObject({ code: 0 });
    expect((await desk.policy(["snapshot", id])).err).toBe(
      "1 policy at default: 1 permission in force, 0 new, 0 ended\n",
    );
  });
});
