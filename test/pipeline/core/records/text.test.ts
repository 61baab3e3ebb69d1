import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import { isBlank, parseExactly, decodeReadable } from "../../../../pipeline/core/records/text.ts";

describe("readable text", () => {
  it("is the text itself if it is UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(text.isWellFormed());
        expect(decodeReadable(Buffer.from(text))).toBe(text);
      }),
    );
  });

  it("names every invalid byte and replaces nothing", () => {
    expect(decodeReadable(Buffer.from("caf\u00e9 \u00ff", "latin1"))).toBe("caf\\xe9 \\xff");
    expect(decodeReadable(Buffer.from([0x61, 0xe2, 0x82]))).toBe("a\\xe2\\x82");
    expect(decodeReadable(Buffer.from([0xed, 0xa0, 0x80, 0xc0, 0x80]))).toBe(
      "\\xed\\xa0\\x80\\xc0\\x80",
    );
    const texts = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 4 }),
        fc.string().map((t) => new TextEncoder().encode(t)),
      ),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        expect(decodeReadable(Buffer.concat(parts))).not.toContain("\ufffd");
      }),
    );
  });
});

describe("exact JSON", () => {
  it("keeps big whole numbers as their digits", () => {
    expect(
      parseExactly(Buffer.from("\ufeff[9007199254740993,-9007199254740993,1,1.5,1e3]")),
    ).toEqual(["9007199254740993", "-9007199254740993", 1, 1.5, 1000]);
  });

  it.each([Buffer.from('{"a":'), Buffer.from(""), Buffer.from('"caf\u00e9"', "latin1")])(
    "is refused for other numbers",
    (bytes) => expect(() => parseExactly(bytes)).toThrow(PageError),
  );
});

it("is blank for white space of any length", () => {
  expect(isBlank(Buffer.from(""))).toBe(true);
  expect(isBlank(Buffer.from("\ufeff \r\n\t"))).toBe(true);
  expect(isBlank(Buffer.from(`${" ".repeat(100)}{}`))).toBe(false);
  expect(isBlank(Buffer.from("\u000b"))).toBe(false);
});
