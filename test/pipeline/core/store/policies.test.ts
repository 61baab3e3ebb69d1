import { expect, it } from "vitest";
import type { Grant } from "../../../../pipeline/core/records/permissions.ts";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { countSnapshot, storeSnapshot } from "../../../../pipeline/core/store/policies.ts";

const grant = (operation: string): Grant => ({
  kind: "Databases",
  operation,
  objectId: null,
  objectName: null,
  details: null,
});

it("the counts of a snapshot include only the policies that it read", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const file of ["005_policies", "017_access_timeline", "030_policy_readings"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  await connection.run(
    "create table known_changes (change_id bigint, first_time timestamp, last_time timestamp)",
  );
  const record = async (
    source: string,
    day: number,
    held: Readonly<Record<string, readonly string[]>>,
  ): Promise<readonly number[]> => {
    const readAt = `2026-03-0${day} 00:00:00`;
    const policies = Object.entries(held).map(([policyId, operations]) => ({
      policyId,
      readAt,
      grants: operations.map(grant),
    }));
    await storeSnapshot(connection, source, readAt, policies);
    const { began, ended, inForce } = await countSnapshot(connection, source);
    return [began, ended, inForce];
  };
  expect(await record("a", 1, { "1": ["query", "edit"], "2": ["query"] })).toEqual([3, 0, 3]);
  expect(await record("b", 1, { "1": ["import"] })).toEqual([1, 0, 1]);
  expect(await record("a", 2, { "1": ["query", "import"] })).toEqual([1, 1, 2]);
  expect(await record("a", 3, { "2": [] })).toEqual([0, 1, 0]);
  expect(await record("a", 4, { "3": ["query"] })).toEqual([1, 0, 1]);
  expect(await record("a", 5, {})).toEqual([0, 0, 0]);
});

it("stored permissions of an earlier version get the names that a snapshot uses now", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const file of ["005_policies", "017_access_timeline", "030_policy_readings"])
    await connection.run(readAsset(`schemas/tables/${file}.sql`));
  await connection.run(
    "create table known_changes (change_id bigint, first_time timestamp, last_time timestamp)",
  );
  const details = [
    null,
    "{}",
    '{"audience_id":5,"columns":["b","a","b",null,""]}',
    '{"name":7,"masking":"ha;sh","z":{"k":[1]},"x:y":"\\\\"}',
    '{"masking":null,"columns":[]}',
  ];
  const grants = details.map((text, i) => ({
    ...grant(`op${i}`),
    objectName: i % 2 === 0 ? null : "daily",
    details: text,
  }));
  const policies = [{ policyId: "1", readAt: "2026-03-01 00:00:00", grants }];
  await storeSnapshot(connection, "a", "s1", policies);
  const names = async (): Promise<unknown[]> =>
    (
      await connection.runAndReadAll(
        "select object_name from policy_permission_rows order by operation",
      )
    ).getColumns()[0]!;
  const stored = await names();
  expect(stored).toEqual([
    null,
    "daily",
    "(audience_id: 5; columns: a, b)",
    String.raw`daily (masking: ha\;sh; name: 7; x\:y: \\; z: {"k"\:[1]})`,
    null,
  ]);
  await connection.run(
    "update policy_permission_rows set object_name = case when operation in ('op1', 'op3') then 'daily' end",
  );
  await connection.run(readAsset("schemas/tables/029_bound_names.sql"));
  expect(await names()).toEqual(stored);
});
