import { expect, test } from "vitest";
import {
  type AskGroups,
  findOne,
  type Outcome,
} from "../../../../../pipeline/core/source/discovery/asker.ts";

const names = ["a", "b", "c", "d", "e", "f", "g"];

// A service that takes one name, and cannot be asked with another one, which it takes for something else.
function buildService(taken: string | undefined, odd: string | undefined): AskGroups<string> {
  return async (groups): Promise<Outcome> => {
    await Promise.resolve();
    if (groups.flat().some((name) => name === odd)) return "unclear";
    const at = groups.findIndex((group) => group.some((name) => name === taken));
    return at < 0 ? "ignored" : at;
  };
}

test.each([1, 2, 3, 7, 8])(
  "the right name is found among any candidates, with %i values to distinguish them",
  async (slots) => {
    for (let count = 1; count <= names.length; count++) {
      const candidates = names.slice(0, count);
      for (const taken of [...candidates, undefined])
        for (const odd of [...candidates.filter((name) => name !== taken), undefined])
          for (const isStrict of [false, true]) {
            const found = await findOne(candidates, slots, isStrict, buildService(taken, odd));
            expect(found, `${candidates.join("")} ${taken} ${odd}`).toBe(taken);
          }
    }
  },
);

test("nothing is requested without a candidate or a value", async () => {
  const refuse: AskGroups<string> = () => Promise.reject(new Error("asked"));
  expect(await findOne([], 3, false, refuse)).toBeUndefined();
  expect(await findOne(names, 0, false, refuse)).toBeUndefined();
});
