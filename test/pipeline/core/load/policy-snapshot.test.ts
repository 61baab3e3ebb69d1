import { expect, it } from "vitest";
import { readPolicies, storeLanded } from "../../../../pipeline/core/load/policy-snapshot.ts";
import { landSnapshot } from "../../../../pipeline/core/landing/policies.ts";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { temporaryFolder } from "../../../support/load.ts";
import type { Client } from "../../../../pipeline/core/source/client.ts";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { testWorld } from "../../../support/world.ts";

it("a policy snapshot counts the policies as they are read, also unreadable ones", async () => {
  const get = async (path: string, _: object, read: (answer: { body: Buffer }) => unknown) => {
    await Promise.resolve();
    if (path.includes("/8/")) throw new AuditlakeError("not this one");
    return read({ body: Buffer.from('{"Databases":[]}') });
  };
  const client = { get } as unknown as Client;
  const source = { limits: { concurrency: 2 } };
  type Asking = Parameters<typeof readPolicies>[0];
  const asking = { client, source, world: testWorld() } as unknown as Asking;
  const shown: unknown[] = [];
  const read = await readPolicies(asking, ["7", "8", "9"], 0, (...done) => shown.push(done));
  expect(shown).toEqual([
    [1, "policy 7"],
    [2, "policy 8"],
    [3, "policy 9"],
  ]);
  expect(read.policies.map(({ policy_id: id }) => id)).toEqual(["7", "9"]);
  expect(read.failures).toEqual([{ policyId: "8", message: "not this one" }]);
});

it("stores landed snapshots that show the same set again, also after one without the policy", async () => {
  const folder = temporaryFolder();
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const file of ["005_policies", "017_access_timeline", "030_policy_readings"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  await connection.run(
    "create table known_changes (change_id bigint, first_time timestamp, last_time timestamp)",
  );
  const [query, edit] = ["query", "edit"].map(
    (operation) => `{"Databases":[{"operation":"${operation}","ids":"1"}]}`,
  );
  for (const [i, body] of [query!, query!, null, query!, edit!, edit!].entries()) {
    const read_at = `2026-03-0${i + 1} 00:00:00`;
    const policies = [{ policy_id: "1", read_at, body }];
    await landSnapshot(folder.path, { version: 1, snapshot_id: `s${i}`, source: "a", policies });
  }
  expect(await storeLanded(folder.path, connection)).toBe(6);
  const select = async (sql: string): Promise<unknown[][]> =>
    (await connection.runAndReadAll(sql)).getRowsJson();
  expect(
    await select(`select operation, day(valid_from), day(valid_to), day(last_seen_at), snapshot_id
      from policy_permission_rows order by valid_from`),
  ).toEqual([
    ["query", "1", "3", "2", "s0"],
    ["query", "4", "5", "4", "s3"],
    ["edit", "5", null, "6", "s4"],
  ]);
  expect(await select("select state, permissions from policy_snapshots order by read_at")).toEqual([
    ["present", "1"],
    ["present", "1"],
    ["gone", "0"],
    ["present", "1"],
    ["present", "1"],
    ["present", "1"],
  ]);
  folder.remove();
});
