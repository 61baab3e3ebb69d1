import { expect, test } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { formatLines, homeWithWarehouse } from "../../support/home.ts";
import { dayMs, newRemote } from "../../support/remote.ts";
import { compareAccess, compareSpans } from "../../queries/access-compared.ts";
import { noon, play } from "../../queries/access-play.ts";

// Many changes in one second are compared with the service that made them. Certain rights are right, and none is
// missing, in any order of the records. More seeds: ACCESS_SEEDS=1,2,3 npx vitest run
// test/fault/histories/access-seconds.test.ts
const seeds = (process.env["ACCESS_SEEDS"] ?? "1,2").split(",").map(Number);
const changes = 150;

const uncertain: Record<string, number> = {};

type Order = (events: readonly LoggedEvent[], seed: number) => readonly LoggedEvent[];
const orders: Readonly<Record<string, Order>> = {
  rising: (events) => events,
  falling: (events) => events.toReversed(),
  shuffled: shuffle,
};

function shuffle(events: readonly LoggedEvent[], seed: number): LoggedEvent[] {
  const random = newRandom(seed, "shuffled");
  return events
    .map((event) => ({ event, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ event }) => event);
}

test.each(seeds.flatMap((seed) => Object.keys(orders).map((order) => [seed, order] as const)))(
  "changes within one second, seed %i, records %s",
  { timeout: 120_000 },
  async (seed, order) => {
    await using remote = await newRemote(noon);
    const played = await play(remote, seed, changes, {
      isCrowded: true,
      standing: seed % 3 !== 0,
      unnamedKinds: seed % 2 === 0 ? "dropped" : "kept",
    });
    const records = orders[order]!(played.access.events(), seed).map(({ record }) => record);
    remote.clock.nowMs += dayMs;
    const file = remote.home.write("records.ndjson", formatLines(records));
    const users = remote.home.write("users.json", JSON.stringify({ users: played.access.users() }));
    expect(await remote.home.run(["import", file, "--users", users])).toMatchObject({ code: 0 });
    const spans = await compareSpans(remote, played);
    await compareAccess(remote, played);
    expect(spans.certain).toBeGreaterThan(spans.uncertain);
    uncertain[order] = (uncertain[order] ?? 0) + spans.uncertain;
  },
);

test("records in one order leave fewer rights undecided", () => {
  expect(uncertain["rising"]).toBe(uncertain["falling"]);
  expect(uncertain["shuffled"]).toBeGreaterThan(uncertain["rising"]!);
});

const noonS = noon / 1000;
const query = '{"Databases":[{"operation":"query","ids":"1"}]}';
const edits = [
  { id: "a", old_value: "{}", new_value: query },
  { id: "b", old_value: query, new_value: "{}" },
].map((edit) => ({
  time: noonS,
  event_name: "permission_policy_modify",
  resource_id: "7",
  ...edit,
}));
const job = { time: noonS + 60, event_name: "query_run", id: "c" };
const spansOf =
  "select operation, valid_from is null as is_old, valid_to is null as is_held, is_uncertain from permission_spans order by all";

test("a right that is granted and revoked in one second has ended if the page has one order, and is undecided otherwise", async () => {
  using home = await homeWithWarehouse();
  expect(await home.load([...edits, job])).toMatchObject({ code: 0 });
  expect(await home.rows(spansOf)).toEqual([]);
  using silent = await homeWithWarehouse();
  expect(await silent.load(edits)).toMatchObject({ code: 0 });
  const open = { operation: "query", is_old: true, is_held: true, is_uncertain: true };
  expect(await silent.rows(spansOf)).toEqual([open]);
  // Another read shows how pages of this source run: what was loaded before is placed as well.
  const later = { ...edits[0], resource_id: "8", id: "d", time: noonS + 120 };
  expect(await silent.load([later, { ...job, time: noonS + 180, id: "e" }])).toMatchObject({
    code: 0,
  });
  expect((await silent.rows(spansOf)).map((row) => row["is_uncertain"])).toEqual([false]);
});

test("a right that ends with its policy and its user in one second ends once", async () => {
  using home = await homeWithWarehouse();
  const names = ["permission_policy_attach_user", "permission_policy_delete", "user_delete"];
  const records = names.map((event_name, i) => ({
    time: noonS + Math.min(i, 1),
    event_name,
    id: event_name,
    resource_id: event_name === "user_delete" ? "20" : "7",
    affected_user_id: 20,
  }));
  expect(await home.load(records)).toMatchObject({ code: 0 });
  const revoked =
    "select canonical_name, operation from permission_changes where change = 'revoked'";
  expect(await home.rows(revoked)).toEqual([
    { canonical_name: "permission_policy_delete", operation: "member" },
  ]);
});
