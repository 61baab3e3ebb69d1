import { expect, test } from "vitest";
import { read, listTables } from "./reader.ts";
import { makeText } from "./texts.ts";
import { fewOrAll } from "../../../fault/length.ts";

test.each(fewOrAll([1], [1, 2]))(
  "ninety-nine of a hundred generated texts have their tables, part %i",
  (part) => {
    const texts = Array.from({ length: 120 }, (_, i) => makeText(part * 10_000 + i));
    const wrong = texts.filter(({ text, dialect, truth }) => {
      const reading = read(text, dialect);
      return reading.state !== "parsed" || String(listTables(reading)) !== String(truth);
    });
    const shown = wrong
      .slice(0, 3)
      .map((each) => ({ ...each, got: listTables(read(each.text, each.dialect)) }));
    expect(wrong.length / texts.length, JSON.stringify(shown, null, 1)).toBeLessThanOrEqual(0.01);
  },
);
