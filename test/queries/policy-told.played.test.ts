import { afterAll, beforeAll, expect, it } from "vitest";
import { randomOf } from "../../fixtures/random.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

// Whether a policy is there at a moment, and whether anything tells what it holds in its life of then. Policies are
// drawn that were there before the log or not, and go and come again under their ids.

const seed = 20261127;
const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const minutes = 12;
const query = '{"Databases":[{"operation":"query","ids":"3"}]}';

type Told = { readonly minute: number; readonly event: string; readonly isSet: boolean };

/** What the log tells of a policy, one thing a minute at most, none of which contradicts another. */
function drawn(policy: number): Told[] {
  const random = randomOf(seed, `policy ${policy}`);
  const told: Told[] = [];
  let isThere = random.chance(0.5);
  for (let minute = 0; minute < minutes; minute++) {
    if (!random.chance(0.4)) continue;
    const event = isThere
      ? random.pick(["modify", "attach_user", "attach_user", "delete"])
      : "create";
    if (event === "create" || event === "delete") isThere = event === "create";
    told.push({ minute, event, isSet: event === "modify" });
  }
  return told;
}

const policies = Array.from({ length: 60 }, (_, i) => ({ id: String(i + 1), told: drawn(i + 1) }));
const known = policies.filter(({ told }) => told.length > 0);

type State = "gone" | "told" | "not told";

function stateAt(told: readonly Told[], minute: number): State {
  const before = told.filter((one) => one.minute <= minute);
  const behind = told.filter((one) => one.minute > minute);
  const isGone =
    before.length === 0 ? behind[0]!.event === "create" : before.at(-1)!.event === "delete";
  if (isGone) return "gone";
  const from = before.findLastIndex(({ event }) => event === "delete") + 1;
  const to = behind.findIndex(({ event }) => event === "delete");
  const ofLife = [...before.slice(from), ...behind.slice(0, to === -1 ? undefined : to)];
  return ofLife.some(({ event, isSet }) => isSet || event === "create") ? "told" : "not told";
}

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const records = known.flatMap(({ id, told }) =>
    told.map(({ minute, event, isSet }) => ({
      id: `${id}-${minute}`,
      time: noonS + 60 * minute,
      event_name: `permission_policy_${event}`,
      resource_id: id,
      resource_name: `Temp ${id}`,
      ...(event === "attach_user" ? { affected_user_id: 20 + minute } : {}),
      ...(isSet ? { attribute_name: "permissions", old_value: "{}", new_value: query } : {}),
    })),
  );
  expect(await home.load(records)).toMatchObject({ code: 0 });
});
afterAll(() => home[Symbol.dispose]());

const stamp = (minute: number): string => new Date((noonS + 60 * minute) * 1000).toISOString();

async function asked(...argv: string[]): Promise<{ rows: Row[]; err: string }> {
  const { code, out, err } = await home.run([...argv, "--format", "json"]);
  expect(code, err).toBe(0);
  return { rows: JSON.parse(out) as Row[], err };
}

function toldBy(rows: readonly Row[], isTold: (row: Row) => boolean): Record<string, State> {
  return Object.fromEntries(
    rows.map((row) => [row["policy_id"], isTold(row) ? ("told" as const) : ("not told" as const)]),
  );
}

it.each([-1, 0, 2, 4, 6, 8, 10, minutes])(
  `each door tells the same of policies of seed ${seed}, in minute %i`,
  async (minute) => {
    const states = known.map(({ id, told }) => [id, stateAt(told, minute)] as const);
    const there = Object.fromEntries(states.filter(([, state]) => state !== "gone"));
    const untold = states.filter(([, state]) => state === "not told").length;
    const on = stamp(minute);
    const listed = await asked("policy", "list", "--on", on);
    expect(toldBy(listed.rows, (row) => row["permissions"] !== null)).toEqual(there);
    const report = await asked("report", "run", "effective_permissions", "--param", `on=${on}`);
    expect(toldBy(report.rows, (row) => row["known_from"] !== "not told")).toEqual(there);
    const note =
      untold === 1 ? /what policy .* holds;/ : new RegExp(`what ${untold} policies hold`);
    for (const { err } of [listed, report])
      expect(err).toMatch(untold === 0 ? /^(?!.*neither log nor snapshots)/s : note);
  },
);

it("draws policies of each kind, and lives that differ from the one before", () => {
  const seen = known.map(({ told }) =>
    [...Array(minutes + 1).keys()].map((minute) => stateAt(told, minute)),
  );
  for (const state of ["gone", "told", "not told"] as const)
    expect(seen.flat().filter((one) => one === state).length).toBeGreaterThan(50);
  expect(
    seen.filter((all) => all.includes("told") && all.includes("not told")).length,
  ).toBeGreaterThan(5);
});
