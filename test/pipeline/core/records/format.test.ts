import { expect, test } from "vitest";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import { detectFormat } from "../../../../pipeline/core/records/format.ts";

const json = '[{"time":1,"event_name":"a"}]';
const utf16 = Buffer.from(json, "utf16le");
const swapped = Buffer.from(utf16).swap16();

test.each([
  ["with its mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ["the other way round", Buffer.concat([Buffer.from([0xfe, 0xff]), swapped])],
  ["without a mark", utf16],
  ["without a mark, the other way round", swapped],
])("a UTF-16 page %s is reported as such", (_name, bytes) => {
  expect(() => detectFormat(bytes)).toThrow(PageError);
  expect(() => detectFormat(bytes)).toThrow("the page is UTF-16; expected UTF-8");
});

test("UTF-8 with a byte order mark is not UTF-16", () => {
  expect(detectFormat(Buffer.from(`\u{feff}${json}`))).toBe("json");
});
