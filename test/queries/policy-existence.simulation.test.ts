import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import { newRemote } from "../support/remote.ts";
import type { Row } from "../support/rows.ts";

// The existence interval of a policy, by the evidence.
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';

type PolicyEvent = readonly [minute: number, event: string, more?: object];

async function readHome(
  stories: Readonly<Record<string, readonly PolicyEvent[]>>,
): Promise<TestHome> {
  const home = await homeWithWarehouse();
  const records = Object.entries(stories).flatMap(([policy, events]) =>
    events.map(([minute, event, more], i) => ({
      id: `${policy}-${i}`,
      time: noonS + 60 * minute,
      event_name: `permission_policy_${event}`,
      resource_id: policy,
      resource_name: `Temp ${policy}`,
      ...more,
    })),
  );
  expect(await home.load(records)).toMatchObject({ code: 0 });
  return home;
}

const stamp = (minute: number): string => new Date((noonS + 60 * minute) * 1000).toISOString();
async function list(home: TestHome, minute: number, policy = "7"): Promise<Row[]> {
  const argv = ["policy", "list", "--on", stamp(minute), "--format", "ndjson"];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row)
    .filter((row) => row["policy_id"] === policy);
}

const lifeReports = ["effective_permissions", "unheld_policies", "permission_drift"] as const;
async function reportPolicies(home: TestHome, report: string, minute: number): Promise<Row[]> {
  const argv = ["report", "run", report, "--param", `on=${stamp(minute)}`, "--format", "json"];
  const { code, out, err } = await home.run(argv);
  expect(code, err).toBe(0);
  return JSON.parse(out) as Row[];
}

const member = { affected_user_id: 20 };
const set = { attribute_name: "permissions", old_value: "{}", new_value: query };

const afterDeletion: readonly (readonly [
  what: string,
  events: readonly PolicyEvent[],
  isThere: boolean,
])[] = [
  ["no event", [], false],
  ["a removed member", [[4, "detach_user", member]], false],
  ["a creation", [[4, "create"]], true],
  ["a change", [[4, "modify", set]], true],
  ["an added member", [[4, "attach_user", member]], true],
  [
    "a creation and a removed member",
    [
      [4, "create"],
      [5, "detach_user", member],
    ],
    true,
  ],
];
const deleted: readonly PolicyEvent[] = [
  [0, "create"],
  [1, "attach_user", member],
  [3, "delete"],
];
const again = "100";
const madeAgain: readonly PolicyEvent[] = [
  [0, "create"],
  [3, "delete"],
  [5, "create"],
  [7, "modify", set],
];

describe("a policy that was deleted", () => {
  let home: TestHome;
  beforeAll(async () => {
    const stories = afterDeletion.map(
      ([, events], i) => [String(i), [...deleted, ...events]] as const,
    );
    home = await readHome({ ...Object.fromEntries(stories), [again]: madeAgain });
  });
  afterAll(() => home[Symbol.dispose]());

  it.each(afterDeletion)("has the right state after %s", async (what, _events, isThere) => {
    const policy = String(afterDeletion.findIndex(([other]) => other === what));
    const [row] = await home.rows(
      `select strftime(deleted_at, '%H:%M') as deleted_at from policies where policy_id = '${policy}'`,
    );
    expect(row).toEqual({ deleted_at: isThere ? null : "12:03" });
    expect(await list(home, 9, policy)).toHaveLength(isThere ? 1 : 0);
  });

  it("is distinguished from another one at a moment, and from itself at two", async () => {
    const changed = String(afterDeletion.findIndex(([what]) => what === "a change"));
    const differences = async (...argv: string[]): Promise<unknown[]> => {
      const { code, out, err } = await home.run(["policy", "diff", ...argv, "--format", "json"]);
      expect(code, err).toBe(0);
      return (JSON.parse(out) as Row[]).map((row) => [row["difference"], row["operation"]]);
    };
    const [added, taken] = [
      ["added", "query"],
      ["taken away", "query"],
    ];
    expect(await differences(again, changed, "--on", stamp(6))).toEqual([added]);
    expect(await differences(changed, again, "--on", stamp(6))).toEqual([taken]);
    expect(await differences(again, "--from", stamp(6), "--to", stamp(8))).toEqual([added]);
  });

  // It is made, left empty, deleted, and made again under its id.
  it.each([
    [-1, null],
    [2, "12:00"],
    [4, null],
    [5, "12:05"],
  ])("is listed at any moment with its state then, in minute %i", async (minute, made) => {
    const rows = await list(home, minute, again);
    const createdAt = rows.map((row) => String(row["created_at"]).slice(11, 16));
    expect(createdAt).toEqual(made === null ? [] : [made]);
    for (const report of lifeReports) {
      const all = await reportPolicies(home, report, minute);
      const own = all.filter((row) => row["policy_id"] === again);
      expect([report, own.length]).toEqual([report, made === null ? 0 : 1]);
    }
  });
});

test("a policy of which the log shows only a removed member exists", async () => {
  using home = await readHome({ 7: [[4, "detach_user", member]] });
  expect(await home.rows("select deleted_at from policies")).toEqual([{ deleted_at: null }]);
  expect(await list(home, 9)).toHaveLength(1);
});

test("a policy whose permissions are never stated is not reported as empty", async () => {
  using home = await readHome({
    7: [[0, "attach_user", member]],
    8: [[0, "detach_user", member]],
    9: [[0, "create"]],
  });
  const known = await reportPolicies(home, "effective_permissions", 9);
  expect(known.map((row) => [row["policy_id"], row["operation"], row["known_from"]])).toEqual([
    ["7", null, "not told"],
    ["8", null, "not told"],
    ["9", null, null],
  ]);
  const argv = ["report", "run", "database_access", "--param", `on=${stamp(9)}`];
  expect((await home.run(argv)).err).toContain(
    "note: permissions of 2 policies, such as Temp 7 (7) are in neither log nor snapshots; policy snapshot reads them",
  );
  const unheld = await reportPolicies(home, "unheld_policies", 9);
  expect(
    unheld.map((row) => [row["policy_id"], row["permissions"], row["on_every_database"]]),
  ).toEqual([
    ["8", null, null],
    ["9", 0, 0],
  ]);
});

test("members from before the log are listed before it, whether the policy is recreated or not", async () => {
  using home = await readHome({
    7: [
      [3, "delete"],
      [5, "create"],
    ],
  });
  expect(await list(home, 1)).toMatchObject([{ policy_id: "7", created_at: null }]);
  expect(await list(home, 4)).toEqual([]);
});

test("a policy that had permissions before its deletion is listed then, whether it is recreated or not", async () => {
  using home = await readHome({
    7: [
      [0, "create"],
      [1, "modify", set],
      [2, "attach_user", member],
      [4, "delete"],
      [6, "create"],
    ],
  });
  expect(await list(home, 3)).toMatchObject([{ members: 1, permissions: 1 }]);
  expect(await list(home, 5)).toEqual([]);
  expect(await list(home, 7)).toMatchObject([{ members: 0, permissions: 0 }]);
});

test("a right starts at its exact moment", async () => {
  using home = await readHome({
    7: [
      [0, "create"],
      [1, "modify", set],
      [2, "attach_user", member],
    ],
  });
  const listHeld = async (minute: number): Promise<unknown[]> =>
    (await reportPolicies(home, "user_permissions", minute)).map((row) => row["operation"]);
  expect([await listHeld(1), await listHeld(2)]).toEqual([[], expect.arrayContaining(["query"])]);
});

test("a policy with a removed member existed until a snapshot without it, which is drift", async () => {
  await using remote = await newRemote((noonS + 300) * 1000);
  const { home, clock } = remote;
  const left = { event_name: "permission_policy_detach_user", resource_id: "7", ...member };
  await home.load([{ ...left, time: noonS + 60, id: "left" }]);
  await remote.serve([]);
  remote.fault((_, response) => {
    response.setHeader("date", new Date(clock.nowMs).toUTCString());
    return response.writeHead(404, { "content-type": "application/json" }).end("{}") === response;
  });
  const world = { env: remote.env(), now: () => clock.nowMs };
  const { code, err } = await home.run(["policy", "snapshot", "7"], world);
  expect(code, err).toBe(0);
  expect(await list(home, 4)).toHaveLength(1);
  expect(await list(home, 6)).toEqual([]);
  const drift = await reportPolicies(home, "permission_drift", 6);
  expect(drift.map((row) => row["difference"])).toEqual(["gone without a deletion in the log"]);
});
