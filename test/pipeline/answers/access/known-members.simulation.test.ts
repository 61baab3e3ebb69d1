import { beforeEach, afterEach, expect, test } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { NamedSource, Settings } from "../../../../pipeline/base/home/settings.ts";
import {
  readKnownMembers,
  orderSteps,
  type Step,
} from "../../../../pipeline/answers/access/order-steps.ts";
import type { Target } from "../../../../pipeline/answers/access/target.ts";
import { compareSets } from "../../../../pipeline/core/records/permissions.ts";
import type { PermissionSet } from "../../../../schemas/policies.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { newDesk, type Desk } from "../../cli/policy/desk.ts";

// The members of a policy are known if the log was read completely since its creation, and otherwise not.

const hourMs = 3_600_000;
let desk: Desk;
beforeEach(async () => void (desk = await newDesk()));
afterEach(() => desk[Symbol.asyncDispose]());

const source = { name: "default" } as NamedSource;
const buildSettings = (): Settings => ({
  home: resolveHome(desk.remote.home.home),
  config: configSchema.parse({}),
  configFile: undefined,
  configFolder: desk.remote.home.folder,
  flags: { logLevel: "silent", progress: "none", quiet: true },
});

async function listKnown(): Promise<Record<string, string[]>> {
  const members = await readKnownMembers(buildSettings(), source, desk.remote.clock.nowMs);
  return Object.fromEntries([...members].map(([id, users]) => [id, [...users]]));
}

const set = (ids: string): PermissionSet => ({ Databases: [{ operation: "query", ids }] });

/** How many sets are sent so that two policies exchange what they hold. */
async function sentToExchange(...ids: readonly string[]): Promise<number> {
  const steps = ids.map((id, i): Step => {
    const [before, wanted] = i === 0 ? [set("1"), set("2")] : [set("2"), set("1")];
    const target = { id } as Target;
    return { target, before, wanted, comparison: compareSets(before, wanted) };
  });
  return (await orderSteps(steps, buildSettings(), source, desk.remote.clock.nowMs)).sendings
    .length;
}

async function attach(user: number, policy: string): Promise<void> {
  const { AUDITLAKE_BASE_URL: url, AUDITLAKE_API_KEY: key } = desk.remote.env();
  const path = `/v4/access_control/users/${user}/policies/${policy}`;
  const headers = { authorization: `SVC1 ${key}` };
  expect((await fetch(url + path, { method: "POST", headers })).ok).toBe(true);
}

const ingest = async (...argv: string[]): Promise<void> => {
  desk.remote.clock.nowMs += hourMs;
  expect(await desk.remote.ingest(argv)).toMatchObject({ code: 0 });
};

test("policies from before the log, with a member and without, keep their state until the log ends", async () => {
  expect(await listKnown()).toEqual({});
  const user = desk.access.snapshot().users[0]!.id;
  const old = await desk.newPolicy();
  desk.remote.clock.nowMs += 72 * hourMs;
  const [one, none] = [await desk.newPolicy(), await desk.newPolicy()];
  for (const id of [old, one]) await attach(user, id);
  await ingest("--from", "1d");
  expect(await listKnown()).toEqual({ [one]: [String(user)], [none]: [] });
  expect(await sentToExchange(one, none)).toBe(2);
  // The other members of the policy from before the log are unknown.
  expect(await sentToExchange(old, one)).toBe(3);
  desk.remote.clock.nowMs += 30 * hourMs;
  expect(await listKnown()).toEqual({ [one]: [String(user)], [none]: [] });
  desk.remote.clock.nowMs += 72 * hourMs;
  expect(await listKnown()).toEqual({});
  // What was not read in between may have brought another member.
  await ingest("--from", "1d");
  const late = await desk.newPolicy();
  await ingest();
  expect(await listKnown()).toEqual({ [late]: [] });
});
