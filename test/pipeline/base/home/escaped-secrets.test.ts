import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newScrub } from "../../../../pipeline/base/home/secrets.ts";

// Services quote a key escaped and encoded in many ways, one inside the other. Nothing that a reader could turn back into
// the key is left.

const each = (text: string, write: (code: number) => string): string =>
  [...text].map((one) => write(one.charCodeAt(0))).join("");
const hex = (code: number, length: number): string => code.toString(16).padStart(length, "0");
const bytes = (text: string, form: "base64" | "base64url" | "hex"): string =>
  Buffer.from(text).toString(form);

const writings: Readonly<Record<string, (text: string) => string>> = {
  "JSON, slashes too": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll("/", String.raw`\/`),
  "JSON, all": (text) => each(text, (code) => String.raw`\u${hex(code, 4)}`),
  "JSON, some": (text) =>
    each(text, (code) =>
      code % 3 === 0 || code === 92 ? String.raw`\u${hex(code, 4)}` : String.fromCharCode(code),
    ),
  "JavaScript, bytes": (text) => each(text, (code) => String.raw`\x${hex(code, 2)}`),
  "JavaScript, braces": (text) => each(text, (code) => String.raw`\u{${hex(code, 1)}}`),
  "HTML, decimal": (text) => each(text, (code) => `&#${code};`),
  "HTML, hex": (text) => each(text, (code) => `&#x${hex(code, 2)};`),
  "HTML, names": (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("/", "&sol;")
      .replaceAll("=", "&equals;")
      .replaceAll("+", "&plus;")
      .replaceAll("_", "&lowbar;"),
  percent: encodeURIComponent,
  "percent, all": (text) => each(text, (code) => `%${hex(code, 2)}`),
  base64: (text) => bytes(text, "base64"),
  "base64 of a header": (text) => bytes(`user:${text}`, "base64"),
  "base64 for addresses": (text) => bytes(text, "base64url"),
  "base64 in lines": (text) => bytes(`a: ${text}`, "base64").replaceAll(/.{20}/g, "$&\r\n"),
  hex: (text) => bytes(text, "hex"),
  "hex with colons": (text) => bytes(text, "hex").replaceAll(/..(?=.)/g, "$&:"),
  "numbers of bytes": (text) => `[${[...Buffer.from(text)].join(",")}]`,
};
const ways = Object.keys(writings);

const letter = fc.constantFrom(..."abcdefXYZ0123456789");
const key = fc
  .tuple(
    fc.string({ unit: letter, minLength: 6, maxLength: 16 }),
    fc.string({
      unit: fc.constantFrom(..."abXY019-_.~=+/&"),
      minLength: 8,
      maxLength: 20,
    }),
  )
  .map(([a, b]) => `k7${a}/${b}9`);

describe.each(ways)("a key as %s", (name) => {
  it("is removed, and the surrounding words stay", () => {
    const secret = "k7Xb/9+a_Z=0123456789&q";
    const shown = newScrub([secret])(`bad key "${writings[name]!(secret)}" refused`);
    expect(shown).toMatch(/^bad key "[^"]*\[secret\][^"]*" refused$/);
  });
});

it("property: a key is removed in any nesting of two encodings", () => {
  fc.assert(
    fc.property(key, fc.constantFrom(...ways), fc.constantFrom(...ways), (secret, inner, outer) => {
      const written = writings[outer]!(writings[inner]!(secret));
      const shown = newScrub([secret])(`the key <${written}> is wrong`);
      expect(shown).toContain("[secret]");
      // No part of what carried the key is left: any piece of it would give some of the key.
      for (let at = 0; at + 24 <= written.length; at++)
        expect(shown).not.toContain(written.slice(at, at + 24));
    }),
    { numRuns: 400, seed: 7 },
  );
});

it("property: text without the key stays unchanged", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "%41",
      "&amp;",
      String.raw`\/`,
      String.raw`\u0041`,
      "/v4/audits",
      "YWJjZGVmZ2g=",
    ),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join(" ");
      expect(newScrub(["k7-not-there-0123456789"])(text)).toBe(text);
    }),
    { seed: 11 },
  );
});

it("a text that is truncated inside of the key shows no start of it", () => {
  const secret = "demo-1234567890abcdef";
  const scrub = newScrub([secret]);
  for (let length = 9; length < secret.length; length++)
    expect(scrub(`bad key ${secret.slice(0, length)}`, true)).toBe("bad key [secret]");
  expect(scrub(String.raw`bad key \u0064emo-12345`, true)).toBe("bad key [secret]");
  expect(scrub("bad key demo-1234, it says", true)).toBe("bad key demo-1234, it says");
  expect(scrub("bad key demo-123456", false)).toBe("bad key demo-123456");
});

describe("a secret of ordinary words", () => {
  it.each([
    ["/audit", "GET /v4/audits answered 503", "GET /v4/audits answered 503"],
    ["/audits", "GET /v4/audits answered 503", "GET /v4/audits answered 503"],
    [
      "/audit",
      "POST https://hooks.example/audit failed",
      "POST https://hooks.example[secret] failed",
    ],
    ["/audit", "POST http://127.0.0.1:80/audit?x", "POST http://127.0.0.1:80[secret]?x"],
    ["/audit", "POST /audit: answered 500", "POST [secret]: answered 500"],
    ["/hooks/audit", "see /hooks/audit-log, /hooks/audit", "see /hooks/audit-log, [secret]"],
    ["audit", "the auditor of an audit of audits", "the auditor of an [secret] of audits"],
    ["letmein", "letmein is wrong; letmeins", "[secret] is wrong; letmeins"],
  ])("%s in %j", (secret, text, shown) => {
    expect(newScrub([secret])(text)).toBe(shown);
  });
});
