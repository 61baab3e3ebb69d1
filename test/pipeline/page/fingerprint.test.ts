import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stagePage, type StageMode } from "../../../pipeline/landing/stage.ts";
import { fingerprintOf } from "../../../pipeline/page/fingerprint.ts";
import { runFile } from "../../../pipeline/warehouse/statements.ts";
import { openInMemory, type Database } from "../../../pipeline/warehouse/open.ts";
import { catalog } from "../../../schemas/generated/catalog.ts";
import fingerprint from "../../../schemas/fingerprint.json" with { type: "json" };
import { toIncomingSql } from "../../../schemas/generators/incoming.ts";
import { temporaryFolder } from "../../support/load.ts";

// The fingerprint is computed in SQL where a record is plain and in TypeScript where it is not: both must
// say the same, and whatever spelling, order or format a record comes in must not matter.

const { baseline } = fingerprint;
const fields = Object.keys(catalog.fields);
const unknown = [
  "shade",
  "größe",
  'we"ird',
  "it's",
  "a b",
  "page",
  "others",
  "text_count",
  "\ud83d\ude00",
];

let database: Database;
let folder: ReturnType<typeof temporaryFolder>;
let batches = 0;
beforeAll(async () => {
  folder = temporaryFolder();
  database = await openInMemory({ memoryLimit: "500MB", threads: 2 });
  await runFile(database.connection, "queries/load/macros.sql");
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  folder.remove();
});

/** The fingerprints that the load gives to records, in their order; `session_id` must be their number. */
async function loaded(
  records: readonly string[],
  mode: StageMode,
  known: readonly string[] = fields,
  front: readonly string[] = baseline,
): Promise<string[]> {
  const batch = join(folder.path, String((batches += 1)));
  mkdirSync(batch);
  const file = join(batch, "0.ndjson");
  const bytes = Buffer.from(records.map((record) => `${record}\n`).join(""));
  const rules = { baseline: front, maxRecordBytes: 1_000_000 };
  const { rejects } = stagePage(bytes, "ndjson", null, rules, file, mode);
  expect(rejects).toEqual([]);
  const columns = Object.fromEntries(
    Object.entries(catalog.fields).filter(([name]) => known.includes(name)),
  );
  const others = fields.filter((name) => !known.includes(name));
  const keys = mode === "quick" ? [...unknown, ...others] : [];
  const { connection } = database;
  await connection.run(toIncomingSql(columns, front, keys));
  const sql =
    "select fingerprint from incoming($file, 2000000) order by cast(session_id as integer)";
  const rows = await connection.runAndReadAll(sql, { file });
  return rows.getRows().map(([value]) => String(value));
}

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const escaped = text.map((t) =>
  JSON.stringify(t).replaceAll("/", "\\/").replaceAll("é", "\\u00e9"),
);
const number = fc.oneof(
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((d) => (Number.isInteger(d) ? `${d}` : String(d)).replace("e+", "E")),
  fc.constantFrom(
    "-0",
    "-0.0",
    "1.0",
    "1.50",
    "1e5",
    "1E400",
    "0.000001",
    "123456789012345678901.5",
  ),
);
const jsonInText = fc.jsonValue({ maxDepth: 2 }).map((v) => JSON.stringify(JSON.stringify(v)));
const scalar = fc.oneof(
  escaped,
  number,
  jsonInText,
  fc.constantFrom(
    '""',
    "null",
    "true",
    "false",
    '"{\\"a\\":1}"',
    '"[1,2]"',
    '"{"',
    '"1"',
    '"true"',
  ),
);

function recordOf(value: fc.Arbitrary<string>): fc.Arbitrary<[string, string][]> {
  return fc.uniqueArray(fc.tuple(fc.constantFrom(...fields, ...unknown), value), {
    maxLength: 12,
    selector: ([key]) => key,
  });
}

function textOf(members: readonly (readonly [string, string])[], number: number): string {
  const own = members.filter(([key]) => key !== "session_id");
  const parts = [...own, ["session_id", String(number)] as const];
  return `{${parts.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

const sample = (value: fc.Arbitrary<string>, numRuns: number): string[] =>
  fc.sample(recordOf(value), { numRuns, seed: 7 }).map(textOf);

describe("the fingerprint in SQL", () => {
  it.each(["quick", "careful"] as const)("is that in TypeScript (%s staging)", async (mode) => {
    const records = sample(scalar, 3000);
    const found = await loaded(records, mode);
    const wrong = records.filter((record, i) => fingerprintOf(record, baseline) !== found[i]);
    expect(wrong).toEqual([]);
  });

  it.each(["quick", "careful"] as const)(
    "holds for nested values too (%s staging)",
    async (mode) => {
      const records = sample(fc.oneof(scalar, fc.json({ maxDepth: 3 })), 1000);
      const found = await loaded(records, mode);
      expect(found).toEqual(records.map((record) => fingerprintOf(record, baseline)));
    },
  );

  it.each(["quick", "careful"] as const)(
    "holds when a field becomes a column (%s staging)",
    async (mode) => {
      const promoted = ["job", "count", "task_duration", "is_scheduled"];
      const older = fields.filter((name) => !promoted.includes(name));
      const records = sample(scalar, 1000);
      const expected = records.map((record) => fingerprintOf(record, older));
      expect(await loaded(records, mode, older, older)).toEqual(expected);
      expect(await loaded(records, mode, fields, older)).toEqual(expected);
    },
  );
});
