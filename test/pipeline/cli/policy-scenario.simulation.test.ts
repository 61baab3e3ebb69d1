import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../../../fixtures/access/changes.ts";
import type { User } from "../../../fixtures/company/user.ts";
import type { PermissionSet } from "../../../fixtures/traffic/permission-sets.ts";
import type { Row } from "../../support/rows.ts";
import { hourMs } from "../../support/remote.ts";
import { newDesk, type Desk } from "./policy/desk.ts";

// The documented scenario (seed 000, Endpoints, rule 2) goes from the change to the answers. The service, the
// snapshots, the history from the log and the reports say the same.

describe("the PATCH of the scenario", () => {
  const sort = (ids: readonly string[]): string[] => ids.toSorted((x, y) => Number(x) - Number(y));
  let desk: Desk;
  let id: string;
  let [a, c]: readonly string[] = [];
  let wanted: PermissionSet;
  let before: string;
  let [held, entries]: readonly (readonly string[])[] = [];
  let [owner, member]: readonly User[] = [];

  beforeAll(async () => {
    desk = await newDesk();
    const { remote, access } = desk;
    const [d1, d2, d3, d4, d5, d6] = sort(desk.databases);
    [a, c] = [d1!, d3!];
    id = await desk.newPolicy({
      Databases: [
        { operation: "manage" },
        { operation: "edit", ids: d1! },
        { operation: "query", ids: `${d1},${d2},${d3}` },
        { operation: "import", ids: `${d3},${d4}` },
      ],
    });
    wanted = {
      Databases: [
        { operation: "manage" },
        { operation: "import", ids: `${d4},${d5},${d6}` },
        { operation: "query", ids: `${d1},${d2}` },
      ],
    };
    const kept = ["manage -", `query ${d1}`, `query ${d2}`, `import ${d4}`];
    held = [...kept, `edit ${d1}`, `query ${d3}`, `import ${d3}`].toSorted();
    entries = [...kept, `import ${d5}`, `import ${d6}`].toSorted();
    const users = access.users();
    [owner, member] = [users[0]!, users.find((user) => !user.administrator)!];
    await attach(desk, id, member!.id, owner!.email);
    expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
    before = new Date((remote.clock.nowMs += 60_000)).toISOString();
    const file = remote.home.write("wanted.json", JSON.stringify(wanted));
    expect(await desk.policy(["set", id, "--file", file, "--yes"])).toMatchObject({ code: 0 });
    expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
    remote.clock.nowMs += hourMs;
    expect(await remote.ingest(["--from", "1d"])).toMatchObject({ code: 0 });
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  test("leaves exactly its entries in service, snapshots and log; edit is removed", async () => {
    const got = await desk.policy(["get", id, "--format", "json"]);
    expect(JSON.parse(got.out)).toEqual(wanted);
    expect(desk.setOf(id)).toEqual(wanted);
    const { home } = desk.remote;
    const own = `from policy_permissions where policy_id = '${id}'`;
    expect(texts(await home.rows(`select * ${own} and valid_to is null`))).toEqual(entries);
    const old = `select * ${own} and valid_from < (select max(valid_from) ${own})`;
    expect(texts(await home.rows(old))).toEqual(held);
    expect(await fold(desk, id)).toEqual(entries);
    const spans = `select * from permission_spans where subject_kind = 'policy' and subject_id = '${id}'`;
    expect(texts(await home.rows(`${spans} and valid_to is null`))).toEqual(entries);
  });

  test("is reported the same by all reports, now and for the time before", async () => {
    const policy = ["--param", `policy=${id}`];
    const earlier = ["--param", `on=${before}`];
    expect(texts(await report(desk, "effective_permissions", policy))).toEqual(entries);
    const then = await report(desk, "effective_permissions", [...policy, ...earlier]);
    expect(texts(then)).toEqual(held);
    expect(await report(desk, "permission_drift")).toEqual([]);
    const may = await report(desk, "user_permissions", ["--param", `user=${member!.email}`]);
    expect(texts(may.filter((row) => row["way"] === "policy"))).toEqual(entries);
    const full = await report(desk, "full_access_holders");
    const holder = { holder: member!.email.toLowerCase(), way: "policy", policy_id: id };
    expect(full).toContainEqual(expect.objectContaining(holder));
  });

  test("changes who reaches a database: edit for those who had it, manage for all", async () => {
    const earlier = ["--param", `on=${before}`];
    const reaches = async (database: string, more: readonly string[] = []): Promise<string[]> => {
      const params = ["--param", `database=${database}`, ...more];
      const rows = await report(desk, "database_access", params);
      return texts(rows.filter((row) => row["holder"] === member!.email.toLowerCase()));
    };
    expect(await reaches(a!)).toEqual(["manage -", `query ${a}`]);
    expect(await reaches(a!, earlier)).toEqual([`edit ${a}`, "manage -", `query ${a}`]);
    expect(await reaches(c!)).toEqual(["manage -"]);
  });

  test("appears in the list of changes with what it added and removed, by any sender", async () => {
    const changes = await report(desk, "permission_changes_list", ["--since", before]);
    const moved = changes.map((row) => `${String(row["change"])} ${formatText(row)}`).toSorted();
    const only = (these: readonly string[], those: readonly string[]): string[] =>
      these.filter((text) => !those.includes(text));
    const granted = only(entries!, held!).map((text) => `granted ${text}`);
    const revoked = only(held!, entries!).map((text) => `revoked ${text}`);
    expect(moved).toEqual([...granted, ...revoked]);
    expect(granted.length + revoked.length).toBe(5);
    expect(new Set(changes.map((row) => row["actor"]))).toEqual(
      new Set([owner!.email.toLowerCase()]),
    );
  });
});

test("appears as drift in both directions if the log does not have it", async () => {
  await using desk = await newDesk();
  const { remote } = desk;
  const [a, b] = desk.databases;
  const id = await desk.newPolicy({ Databases: [{ operation: "query", ids: `${a}` }] });
  remote.clock.nowMs += hourMs;
  expect(await remote.ingest(["--from", "1d"])).toMatchObject({ code: 0 });
  expect(await report(desk, "permission_drift")).toMatchObject([
    { policy_id: id, difference: "no snapshot" },
  ]);
  await desk.setElsewhere(id, { Databases: [{ operation: "query", ids: `${b}` }] });
  expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
  const drift = await report(desk, "permission_drift");
  expect(drift.map((row) => [row["difference"], formatText(row)])).toEqual([
    ["only in the log", `query ${a}`],
    ["only in the snapshot", `query ${b}`],
  ]);
  expect(await remote.ingest(["--from", "1d"])).toMatchObject({ code: 0 });
  expect(await report(desk, "permission_drift")).toEqual([]);
  await desk.deletePolicy(id);
  expect(await desk.policy(["snapshot", id])).toMatchObject({ code: 0 });
  const gone = await report(desk, "permission_drift");
  expect(gone.map((row) => row["difference"])).toEqual([
    "gone without a deletion in the log",
    "only in the log",
  ]);
});

test("appears in snapshots of a policy whose set the log never states", async () => {
  await using desk = await newDesk({ standing: true });
  const { remote, access } = desk;
  const campaign = access.snapshot().policies.find(({ name }) => name === "Campaign team")!;
  const [owner, , member] = access.users();
  await attach(desk, campaign.id, member!.id, owner!.email);
  expect(await desk.policy(["snapshot", campaign.id])).toMatchObject({ code: 0 });
  remote.clock.nowMs += hourMs;
  expect(await remote.ingest(["--from", "1d"])).toMatchObject({ code: 0 });
  const rows = await report(desk, "user_permissions", ["--param", `user=${member!.id}`]);
  const through = rows.filter((row) => row["way"] === "policy");
  expect(through.map((row) => row["known_from"])).toEqual(Array(7).fill("snapshot"));
  const manage = through.find((row) => row["operation"] === "manage")!;
  expect(manage).toMatchObject({ reach: "every database", policy: "Campaign team" });
  expect(await report(desk, "permission_drift")).toEqual([]);
});

async function attach(
  { remote, access }: Desk,
  policy: string,
  user: number,
  as: string,
): Promise<void> {
  remote.clock.nowMs += 60_000;
  const path = `/v4/access_control/users/${user}/policies/${policy}`;
  const url = remote.env()["AUDITLAKE_BASE_URL"]!;
  const answer = await send(url, access, { verb: "POST", path, as, address: "203.0.113.9" });
  expect(answer.ok).toBe(true);
  await answer.text();
}

async function report(desk: Desk, name: string, params: readonly string[] = []): Promise<Row[]> {
  const now = (): number => desk.remote.clock.nowMs;
  const argv = ["report", "run", name, "--format", "json", ...params];
  const { code, out, err } = await desk.remote.home.run(argv, { now });
  expect(code, err).toBe(0);
  return JSON.parse(out) as Row[];
}

/** What the changes of the log leave of a policy's set. */
async function fold({ remote }: Desk, policy: string): Promise<string[]> {
  const rows = await remote.home.rows(
    `select * from permission_changes where subject_kind = 'policy' and subject_id = '${policy}' and operation is not null order by event_time, change desc`,
  );
  const held = new Set<string>();
  for (const row of rows)
    if (row["change"] === "granted") held.add(formatText(row));
    else held.delete(formatText(row));
  return [...held].toSorted();
}

function texts(rows: readonly Row[]): string[] {
  return rows.map(formatText).toSorted();
}

function formatText(row: Row): string {
  return [row["operation"], row["database_id"] ?? row["object_id"] ?? "-"].map(String).join(" ");
}
