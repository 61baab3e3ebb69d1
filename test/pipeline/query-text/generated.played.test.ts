import { beforeAll, expect, test } from "vitest";
import { type Dialect, type Language, languageOf } from "../../../pipeline/query-text/language.ts";
import { type Reading, readText } from "../../../pipeline/query-text/read-statements.ts";
import { ownDatabase, textOf } from "./texts.ts";

let languages: Readonly<Record<Dialect, Language>>;
beforeAll(async () => {
  languages = { trino: await languageOf("trino"), hive: await languageOf("hive") };
});

const read = (text: string, dialect: Dialect = "trino"): Reading =>
  readText(text, dialect, languages);

function tablesOf({ tables }: Reading): string[] {
  const lines = tables.map(
    ({ statement, kind, database, table, access }) =>
      `${statement} ${kind} ${database ?? ownDatabase}.${table} ${access}`,
  );
  return [...new Set(lines)].sort();
}

test.each([1, 2])("ninety-nine of a hundred generated texts have their tables, part %i", (part) => {
  const texts = Array.from({ length: 120 }, (_, i) => textOf(part * 10_000 + i));
  const wrong = texts.filter(({ text, dialect, truth }) => {
    const reading = read(text, dialect);
    return reading.state !== "parsed" || String(tablesOf(reading)) !== String(truth);
  });
  const shown = wrong
    .slice(0, 3)
    .map((each) => ({ ...each, got: tablesOf(read(each.text, each.dialect)) }));
  expect(wrong.length / texts.length, JSON.stringify(shown, null, 1)).toBeLessThanOrEqual(0.01);
});
