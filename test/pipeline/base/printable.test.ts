import { expect, test } from "vitest";
import {
  escapeControls,
  escapeJsonControls,
  escapeLineControls,
} from "../../../pipeline/base/printable.ts";

test("control, bidi and invisible characters are shown escaped", () => {
  expect(escapeControls("a\u001b[31mred\u0007\r\n\tb")).toBe(
    String.raw`a\u001b[31mred\u0007\u000d\u000a\u0009b`,
  );
  expect(escapeControls("\u202egnp.exe\u2066\u200b\ufeff\u0085\u2028\u{e0041}")).toBe(
    String.raw`\u202egnp.exe\u2066\u200b\ufeff\u0085\u2028\u{e0041}`,
  );
  expect(escapeControls("é 日本 😀 ok")).toBe("é 日本 😀 ok");
});

test("text of several lines keeps them, with blanks for tabs", () => {
  expect(escapeLineControls("a\tb\r\n\u001b[2J\n")).toBe("a b\\u000d\n\\u001b[2J\n");
});

test("JSON text is escaped without a change of meaning", () => {
  const text = "é 😀\u007f\u009b\u202e\u2066\ufeff\u{e0041}";
  expect(escapeJsonControls(JSON.stringify(text))).toBe(
    String.raw`"é 😀\u007f\u009b\u202e\u2066\ufeff\udb40\udc41"`,
  );
  expect(JSON.parse(escapeJsonControls(JSON.stringify(text)))).toBe(text);
});
