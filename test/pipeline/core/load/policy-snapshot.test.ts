import { expect, it } from "vitest";
import { readPolicies } from "../../../../pipeline/core/load/policy-snapshot.ts";
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
