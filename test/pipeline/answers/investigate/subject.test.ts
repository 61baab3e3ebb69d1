import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import { type Name, findSubject } from "../../../../pipeline/answers/investigate/subject.ts";

const person = (of: string, ...texts: string[]): Name[] => [
  { name: of, of, isWhole: true },
  ...texts.map((name) => ({ name, of, isWhole: false })),
];
const names = [
  ...person("1", "ann@example.com", "ann.before@example.com", "ann olsen"),
  ...person("12", "bob@example.com", "bob olsen"),
  ...person("3", "eve@example.com", "eve stone"),
  // Passed on to another user.
  ...person("4", "bob@example.com", "bo berg"),
  { name: "guest@example.com", of: "guest@example.com", isWhole: false },
  // Named like the id of another user.
  ...person("30", "fay@example.com", "3"),
];

test.each([
  ["1", "1"],
  [" 12 ", "12"],
  ["ANN@Example.com", "ann@example.com"],
  ["ann.before@example.com", "ann.before@example.com"],
  ["guest@example.com", "guest@example.com"],
  ["guest", "guest@example.com"],
  ["Ann Olsen", "1"],
  ["stone", "3"],
  ["3", "3"],
  ["before", "1"],
  // One e-mail, two people: all of it.
  ["bob@example.com", "bob@example.com"],
])("the subject %j is %s", (text, value) => {
  expect(findSubject("user", text, names).value).toBe(value);
});

test("other names of a subject are shown", () => {
  expect(findSubject("user", "before", names).others).toEqual([
    "ann@example.com",
    "ann.before@example.com",
    "ann olsen",
  ]);
});

test.each([
  ["olsen", '"olsen" matches 2 users: "ann@example.com", "bob@example.com"; expected one of them'],
  ["anna@exampel.com", 'no user "anna@exampel.com" in the data; similar: "ann@example.com"'],
  ["evo", 'no user "evo" in the data; similar: "eve@example.com"'],
  ["23", 'no user "23" in the data; similar: "'],
  ["qqq", /no user "qqq" in the data$/],
  ["  ", "--user is empty"],
])("the subject %j is refused", (text, message) => {
  expect(() => findSubject("user", text, names)).toThrow(UsageError);
  expect(() => findSubject("user", text, names)).toThrow(message);
});

test("a missing subject is refused", () => {
  expect(() => findSubject("job", "7", [])).toThrow('no job "7" in the data');
});

// The meaning is one person, or an error; never another person than the text fits.
test("the resolved subject matches the text", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "@", "."), minLength: 1, maxLength: 4 });
  const people = fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
  fc.assert(
    fc.property(people, word, (texts, text) => {
      const all = texts.flatMap((own, i) => person(String(i), ...own));
      const isIt = (own: readonly string[]): boolean => own.includes(text);
      const fits = (own: readonly string[]): boolean => own.some((name) => name.includes(text));
      const exact = texts.flatMap((own, i) => (isIt(own) ? [String(i)] : []));
      const parts = texts.flatMap((own, i) => (fits(own) ? [String(i)] : []));
      const meant = exact.length > 0 ? exact : parts;
      const resolve = (): string => findSubject("user", text, all).value;
      if (exact.length > 0 && text.includes("@")) expect(resolve()).toBe(text);
      else if (meant.length === 1) expect(resolve()).toBe(meant[0]);
      else expect(resolve).toThrow(UsageError);
    }),
  );
});
