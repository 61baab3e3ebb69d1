import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listDocuments, readDocument } from "../../../../../pipeline/core/landing/documents.ts";
import { failureLine } from "../../../../support/failure.ts";
import type { Outcome } from "../../../../support/command.ts";
import type { Row } from "../../../../support/rows.ts";
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
const rows = (sql: string): Promise<Row[]> => desk.remote.home.rows(sql);

describe("landed snapshots", () => {
  const folder = (): string => join(desk.remote.home.home, "landing", "policies");

  it("are the service's own bodies, and rebuild makes the same history of them", async () => {
    const id = await desk.newPolicy({ Databases: [{ operation: "manage" }, query(`${a},${b}`)] });
    await snapshot(id);
    await desk.setElsewhere(id, { Databases: [query(b)] });
    await snapshot(id);
    await desk.deletePolicy(id);
    await snapshot(id);
    const before = await desk.history();
    const [first] = listDocuments(folder());
    const landed = readDocument(first!) as { policies: { body: string }[] };
    expect(JSON.parse(landed.policies[0]!.body)).toMatchObject({
      Databases: [{ operation: "manage" }, {}],
    });
    expect(await desk.remote.home.run(["rebuild"])).toMatchObject({
      code: 0,
      err: expect.stringContaining("same as before"),
    });
    expect(await desk.history()).toEqual(before);
  });

  it("that are missing show in the digest of rebuild", async () => {
    const id = await desk.newPolicy({ Databases: [query(a)] });
    await snapshot(id);
    rmSync(folder(), { recursive: true });
    expect((await desk.remote.home.run(["rebuild"])).err).toMatch(
      /error: the rebuilt database has digest/,
    );
  });

  it("are stored by the next run if one was killed before it stored them", async () => {
    const id = await desk.newPolicy({ Databases: [query(a)] });
    await snapshot(id);
    const [file] = listDocuments(folder());
    const landed = readDocument(file!) as Record<string, unknown>;
    const later = { ...landed, snapshot_id: "20260304T130000Z-00000000" };
    const policies = [
      { policy_id: id, read_at: "2026-03-04 13:00:00.000", body: '{"Databases":[]}' },
    ];
    writeFileSync(join(folder(), "later.json"), JSON.stringify({ ...later, policies }));
    desk.remote.clock.nowMs += 3_600_000;
    const { err } = await snapshot(id);
    expect(err).toBe(
      "stored 1 snapshot that an earlier run had fetched\n1 policy at default: 1 permission in force, 1 new, 0 ended\n",
    );
    expect(
      await rows("select valid_to::varchar as ended from policy_permissions order by valid_from"),
    ).toEqual([{ ended: "2026-03-04 13:00:00" }, { ended: null }]);
  });

  it.each([
    "",
    "{",
    '{"version":1,"snapshot_id":"a","source":"b","policies":[]}',
    '{"version":1,"snapshot_id":"a","source":"b","policies":[{"policy_id":"1","read_at":"x","body":"{CANARY"}]}',
  ])("are reported if they contain %j", async (content) => {
    await snapshot(await desk.newPolicy());
    writeFileSync(join(folder(), "bad.json"), content);
    const line = failureLine(await snapshot("1"), 1, ["CANARY"]);
    expect(line).toMatch(
      /landed policy snapshot .*bad\.json cannot be read; restore it from a backup/,
    );
  });

  it("are not written if nothing was read", async () => {
    await snapshot();
    expect(existsSync(folder())).toBe(false);
  });
});
