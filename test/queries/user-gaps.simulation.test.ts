import { expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { formatLines, homeWithWarehouse } from "../support/home.ts";
import type { Row } from "../support/rows.ts";
import { dayMs, hourMs } from "../support/remote.ts";

// Users come and go in the directory while they join and leave a policy. The view at a moment is compared with the
// lists and the log at that moment.

const start = Date.UTC(2026, 2, 1);
const random = newRandom(1, "user gaps");
// So many stay that no list is kept aside.
const staying = Array.from({ length: 300 }, (_, i) => ({ id: 1000 + i, administrator: false }));
const people = Array.from({ length: 30 }, (_, i) => i + 1);

const chance = (percent: number): boolean => random.int(1, 100) <= percent;
/** Who is on the list of each day, and whether as an administrator. */
const lists = Array.from(
  { length: 5 },
  () => new Map(people.filter(() => chance(60)).map((id) => [id, chance(50)])),
);
const readAt = (day: number): number => start + (day + 1) * dayMs;
/** When each of them joined and left the policy; in any order of the days, some never. */
const memberships = people.flatMap((id) => {
  const joined = start + random.int(0, 6 * 24) * hourMs + 1000;
  const left = chance(50) ? joined + random.int(1, 72) * hourMs : Infinity;
  return chance(90) ? [{ id, joined, left }] : [];
});

function listEvents({ id, joined, left }: (typeof memberships)[number]): object[] {
  const common = { resource_id: "5", resource_name: "analysts", affected_user_id: id };
  const at = (ms: number, what: string): object => ({
    time: ms / 1000,
    event_name: `permission_policy_${what}_user`,
    ...common,
  });
  return [at(joined, "attach"), ...(left === Infinity ? [] : [at(left, "detach")])];
}

/** What the list that was the last one at a moment has for a user; undefined if they are missing on it. */
function listedAt(id: number, ms: number): boolean | undefined {
  return lists.findLast((_, day) => readAt(day) <= ms)?.get(id);
}

// The log shows when a user was created, so what matters is whether a list has had them and a later one has not.
function isGone(id: number, ms: number): boolean {
  const hasBeenThere = lists.some((list, day) => readAt(day) <= ms && list.has(id));
  return hasBeenThere && listedAt(id, ms) === undefined;
}

function isAdministrator(id: number, ms: number): boolean {
  return ms < readAt(0) ? lists[0]!.get(id) === true : listedAt(id, ms) === true;
}

test("a user who is missing in the directory has no rights until they are listed again", async () => {
  using home = await homeWithWarehouse();
  const records = home.write("records.ndjson", formatLines(memberships.flatMap(listEvents)));
  for (const [day, list] of lists.entries()) {
    const users = [...[...list].map(([id, administrator]) => ({ id, administrator })), ...staying];
    const file = home.write("users.json", JSON.stringify(users));
    const now = (): number => readAt(day);
    const { code, err } = await home.run(["import", records, "--users", file], { now });
    expect([code, err]).toEqual([0, err]);
  }
  const rows = await home.rows(
    "select user_id, operation, valid_from, valid_to from user_access where operation in ('member', 'administrator')",
  );
  const toMoment = (time: Row[string], otherwise: number): number =>
    time === null ? otherwise : Date.parse(`${String(time).replace(" ", "T")}Z`);
  const spans = rows.map((row) => ({
    text: `${String(row["user_id"])} ${String(row["operation"])}`,
    from: toMoment(row["valid_from"], -Infinity),
    to: toMoment(row["valid_to"], Infinity),
  }));
  for (let ms = start - dayMs; ms < start + 9 * dayMs; ms += 6 * hourMs) {
    const members = memberships.filter(
      ({ id, joined, left }) => joined <= ms && ms < left && !isGone(id, ms),
    );
    const expected = [
      ...members.map(({ id }) => `${id} member`),
      ...people.filter((id) => isAdministrator(id, ms)).map((id) => `${id} administrator`),
    ];
    const held = spans.filter(({ from, to }) => from <= ms && ms < to);
    expect(held.map(({ text }) => text).sort(), new Date(ms).toISOString()).toEqual(
      expected.sort(),
    );
  }
});
