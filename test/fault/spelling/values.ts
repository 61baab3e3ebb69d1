import { readFileSync } from "node:fs";
import type { Random } from "../../../fixtures/random.ts";

/** A value apart from how it is written. */
export type Value =
  | { readonly is: "nothing" }
  | { readonly is: "whole"; readonly digits: string }
  | { readonly is: "number"; readonly value: number }
  | { readonly is: "truth"; readonly value: boolean }
  | { readonly is: "time"; readonly ms: number }
  | { readonly is: "text"; readonly text: string }
  /** A scalar in a field of text: the word of a number, written with quotes or without. */
  | { readonly is: "word"; readonly digits: string }
  | { readonly is: "json"; readonly value: object };

/** A record as values by field name. */
export type Record = ReadonlyMap<string, Value>;

type FieldType = "text" | "integer" | "number" | "boolean" | "time";

const { fields } = JSON.parse(
  readFileSync(new URL("../../../schemas/fields.json", import.meta.url), "utf8"),
) as { fields: { readonly [name: string]: { readonly type: FieldType } } };

const fieldTypes = Object.entries(fields).map(([name, { type }]) => [name, type] as const);
/** Every field of a record that the catalog knows. */
export const fieldNames: readonly string[] = fieldTypes.map(([name]) => name);

const structured = ["old_value", "new_value", "old_values", "new_values"];
const texts = [
  "plain",
  "with space ",
  "größe",
  "日本語",
  "emoji 🙂 end",
  'says "no", twice',
  "two\nlines",
  "tab\there",
  "back\\slash / slash",
  "e\u0301 and \u00e9",
  "'",
  "-",
  "true story",
  "2026-01-01",
  "[not json",
];
const wholes = ["0", "1", "7", "-3", "1000000", "9007199254740993", "9223372036854775807"];

/** A record at a second, its fields drawn by their types; the number makes it one of its own. */
export function makeRecord(random: Random, number: number, second: number): Record {
  const share = random.pick([0.2, 0.6, 0.95]);
  const entries = fieldTypes.map(([name, type]): [string, Value] => {
    const isThere = random.chance(share);
    return [name, isThere ? makeValue(random, name, type) : { is: "nothing" }];
  });
  const record = new Map(entries);
  const moment = random.chance(0.1) ? second - (second % 60) : second;
  record.set("time", { is: "time", ms: moment * 1000 + random.pick([0, 0, 250, 999]) });
  record.set("event_name", {
    is: "text",
    text: random.pick(["job_kill", "user_login", "no_such"]),
  });
  record.set("resource_name", { is: "text", text: `record ${number}` });
  record.set("id", makeId(random, number));
  return record;
}

function makeId(random: Random, number: number): Value {
  if (random.chance(0.4)) return { is: "nothing" };
  return random.chance(0.8)
    ? { is: "text", text: random.uuid() }
    : { is: "word", digits: String(1000 + number) };
}

function makeValue(random: Random, name: string, type: FieldType): Value {
  switch (type) {
    case "integer":
      // What is no whole number is kept as its text.
      if (random.chance(0.05)) return { is: "text", text: "not a number" };
      return { is: "whole", digits: random.pick(wholes) };
    case "number":
      return { is: "number", value: random.pick([0, 7, 1.5, -0.25, 1500, 1e-7]) };
    case "boolean":
      return { is: "truth", value: random.chance(0.5) };
    case "time":
      return {
        is: "time",
        ms: 1_700_000_000_000 + random.int(0, 99_999) * 1000 + random.pick([0, 0, 500]),
      };
    case "text":
      if (structured.includes(name) && random.chance(0.6))
        return { is: "json", value: makeJson(random, 2) };
      if (random.chance(0.15)) return { is: "word", digits: random.pick(["7", "0", "42"]) };
      return { is: "text", text: random.pick(texts) };
  }
}

function makeJson(random: Random, depth: number): object {
  const leaf = (): unknown =>
    depth > 0 && random.chance(0.4)
      ? makeJson(random, depth - 1)
      : random.pick<unknown>([1, 2.5, "x", "größe", true, false, null, "1", ""]);
  const count = random.int(1, 4);
  if (random.chance(0.3)) return Array.from({ length: count }, leaf);
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${random.pick(["b", "a", "z"])}${i}`, leaf()]),
  );
}
