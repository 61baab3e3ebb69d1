import fc from "fast-check";
import { expect, it } from "vitest";
import { newScrub, scrubError } from "../../../../pipeline/base/home/secrets.ts";
import { listForms } from "../../../fault/canary/forms.ts";

// Spellings that a service with the key may use, in a host, a path or a body that comes back.

const word = fc.string({
  unit: fc.constantFrom(..."abcXYZ019-_.~=+/%&$*()[]{}|^\\"),
  minLength: 8,
  maxLength: 40,
});
const around = fc.string({ unit: fc.constantFrom(...'ab%25:/ \\"é\n'), maxLength: 12 });

// How one character is written: literally, in the other case, or as a code, once or more often.
function write(character: string, how: number): string {
  const code = `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  const upper = character.toUpperCase();
  const ways = [
    character,
    upper === character ? character.toLowerCase() : upper,
    code,
    code.toUpperCase(),
    code.replace("%", "%25"),
    code.replace("%", "%2525"),
  ];
  return ways[how % ways.length]!;
}

// Codes undone as long as there are any, without the code under test.
function undone(text: string): string {
  const once = Buffer.from(
    text.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16))),
    "latin1",
  ).toString("latin1");
  return (once === text ? text : undone(once)).toLowerCase();
}

it("property: a secret is found in any spelling of its characters", () => {
  fc.assert(
    fc.property(word, fc.array(fc.nat(5), { minLength: 40 }), around, around, (key, ways, a, b) => {
      const spelled = [...key].map((character, i) => write(character, ways[i % ways.length]!));
      const shown = newScrub([key])(`${a}\u0001${spelled.join("")}\u0001${b}`);
      expect(undone(shown.split("\u0001").slice(1, -1).join(""))).not.toContain(undone(key));
      expect(shown.startsWith(a) && shown.endsWith(b)).toBe(true);
    }),
  );
});

it("property: a secret is found in base64 and hex, anywhere in the text", () => {
  fc.assert(
    fc.property(word, around, around, (key, before, after) => {
      const text = Buffer.from(before + key + after);
      const all = (["base64", "base64url", "hex"] as const).map((form) => text.toString(form));
      const shown = newScrub([key])(`${all.join(" ")} ${all.join(" ").toUpperCase()}`);
      for (const [name, form] of listForms(key))
        if (/base64|hex/.test(name)) expect(shown).not.toContain(form.toString());
    }),
  );
});

it("a secret is removed from an error, its stack and its causes", () => {
  const cause = new DOMException("see https://SECRET-9.example/");
  const error = new Error("GET /secret-9 failed", { cause });
  scrubError(error, newScrub(["Secret-9"]));
  expect(error.message).toBe("GET /[secret] failed");
  expect(`${error.stack}${cause.message}${cause.stack}`.toLowerCase()).not.toContain("secret-9");
});

it("the search for a secret takes steps in proportion to the text", () => {
  // A text of percent codes is what the search could stumble over most.
  const scrub = newScrub(["%25%2525-secret", "a%%%%%%%%%%"]);
  for (const part of ["%25", "%2525%", "a%25%", "%25%2525-secre"]) {
    const spent = [20_000, 400_000].map((length) => {
      const text = part.repeat(length / part.length);
      const start = process.cpuUsage();
      scrub(text);
      return process.cpuUsage(start).user + 2000;
    });
    // Twenty times the text: a square would cost four hundred times as much.
    expect(spent[1]! / spent[0]!, part).toBeLessThan(100);
  }
});

it("an empty secret hides nothing", () => {
  expect(newScrub(["", "k9"])("a K9 b")).toBe("a [secret] b");
  expect(newScrub([])("a")).toBe("a");
});
