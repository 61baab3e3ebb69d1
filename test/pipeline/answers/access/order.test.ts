import { expect, test } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { type Change, orderChanges } from "../../../../pipeline/answers/access/order-steps.ts";

type Policy = {
  readonly id: string;
  readonly members: ReadonlySet<string>;
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
};

const rights = ["query:1", "query:2", "import:1", "manage"];
const people = ["ann", "bob", "eve"];

// What a person can do, every right that manage opens spelled out.
function heldBy(
  person: string,
  policies: readonly Policy[],
  sets: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> {
  const own = policies
    .filter(({ members }) => members.has(person))
    .flatMap(({ id }) => [...sets.get(id)!]);
  return new Set(own.includes("manage") ? rights : own);
}

test("no user loses a right in between that they have before and after, in 3,000 random folders, seed 5", () => {
  const random = newRandom(5, "folders");
  const some = (of: readonly string[]): Set<string> => new Set(of.filter(() => random.chance(0.4)));
  let twice = 0;
  for (let i = 0; i < 3000; i++) {
    const policies = Array.from({ length: random.int(1, 4) }, (_, n): Policy => ({
      id: String(n),
      members: some(people),
      before: some(rights),
      after: some(rights),
    }));
    const changes = policies.map(({ id, members, before, after }): Change => ({
      id,
      members,
      added: [...after].filter((right) => !before.has(right)),
      removed: [...before].filter((right) => !after.has(right)),
    }));
    const sets = new Map(policies.map(({ id, before }) => [id, before]));
    const first = people.map((person) => heldBy(person, policies, sets));
    const last = new Map(policies.map(({ id, after }) => [id, after]));
    const always = people.map((person, n) =>
      [...heldBy(person, policies, last)].filter((right) => first[n]!.has(right)),
    );
    const order = orderChanges(changes);
    for (const { id, isGivingAlone } of order) {
      const { after } = policies.find((policy) => policy.id === id)!;
      sets.set(id, isGivingAlone ? new Set([...sets.get(id)!, ...after]) : after);
      for (const [n, person] of people.entries()) {
        const held = heldBy(person, policies, sets);
        expect(
          always[n]!.filter((right) => !held.has(right)),
          `folder ${i}, ${person}`,
        ).toEqual([]);
      }
    }
    expect(sets).toEqual(last);
    twice += order.filter(({ isGivingAlone }) => isGivingAlone).length;
  }
  expect(twice).toBeGreaterThan(50);
});

test("nothing is sent twice unnecessarily, and unknown members count as everyone", () => {
  const one = { id: "1", added: ["query:1"], removed: ["query:2"] };
  const other = { id: "2", added: ["query:2"], removed: ["query:1"] };
  const of = (a: readonly string[] | undefined, b: readonly string[] | undefined): string[] =>
    orderChanges([
      { ...one, members: a && new Set(a) },
      { ...other, members: b && new Set(b) },
    ]).map(({ id, isGivingAlone }) => `${id}${isGivingAlone ? " gives" : ""}`);
  expect(of(["ann"], ["bob"])).toEqual(["1", "2"]);
  expect(of(["ann"], ["ann"])).toEqual(["1 gives", "2", "1"]);
  expect(of(undefined, undefined)).toEqual(["1 gives", "2", "1"]);
});
