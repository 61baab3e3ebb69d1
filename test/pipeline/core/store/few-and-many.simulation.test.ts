import { describe, expect, it } from "vitest";
import { newRandom, type Random } from "../../../../fixtures/random.ts";
import { catalog } from "../../../../schemas/generated/catalog.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import type { Row } from "../../../support/rows.ts";
import { fewOrAll } from "../../../fault/length.ts";

// Few records are processed here, many by the database: the result for a record is the same.

const known = Object.keys(catalog.fields).filter((name) => name !== "time");
const plainKeys = ["zz", "team", "a.b", "with space", "null", "größe"];
const oddKeys = [
  "zz",
  "Zz",
  "team",
  "a.b",
  "with space",
  "\\u0061bc",
  'quo\\"te',
  "null",
  "größe",
  "",
];
const values = [
  '"text"',
  '""',
  "7",
  "7.0",
  "-1",
  "1e400",
  "99999999999999999999",
  "true",
  "false",
  "null",
  "[]",
  "{}",
  "[1, 2]",
  '{"a": {"b": [null]}}',
  '"[1,2]"',
  '"{\\"a\\":1}"',
  '"a\\u0000b"',
  '"\\ud83d\\ude00"',
  '"\\u001f\\u001e"',
  "1767225600",
  '"2026-01-01T00:00:00+09:00"',
  '" 7 "',
  '"7"',
  '"7.0"',
  "nul",
  '"half',
  "0x10",
];

// Keys that the database cannot distinguish are walked here in any case: every other seed has none.
function makeRecord(random: Random, number: number, unknown: readonly string[]): string {
  const some = (names: readonly string[], count: number): string[] =>
    Array.from({ length: count }, () => random.pick(names));
  const keys = [...new Set([...some(known, 6), ...some(unknown, random.int(0, 4))])];
  // Now and then one comes twice.
  if (unknown === oddKeys && random.chance(0.1)) keys.push(keys[0]!);
  const members = keys.map((key) => `"${key}":${random.pick(values)}`);
  return `{"time":${1767225600 + number},"mark":${number},${members.join(random.pick([",", " , "]))}}`;
}

const filler = Array.from(
  { length: 9000 },
  (_, i) =>
    `{"time":${1767225600 + i},"event_name":"filler","id":"filler-${i}","query_text":"${"x".repeat(90)}"}`,
);

// What a file begins with says of which format it is.
const plain = '{"time":1767225599,"event_name":"plain"}';

async function loadedFrom(lines: readonly string[]): Promise<{ rows: Row[]; kept: Row[] }> {
  using home = await homeWithWarehouse();
  const { code, err } = await home.run([
    "import",
    home.write("records.ndjson", `${[plain, ...lines].join("\n")}\n`),
  ]);
  expect([code, err]).toEqual([6, expect.any(String)]);
  const own = "run_id, first_seen_at, read_id, page_number, record_number, extra";
  return {
    rows: await home.rows(
      `select * exclude (${own}), json(extra) as extra from event_rows where event_name is distinct from 'filler' order by event_time, event_key`,
    ),
    kept: await home.rows(
      "select reason, record_text from quarantine order by record_text, reason",
    ),
  };
}

describe.each(fewOrAll([1, 2], [1, 2, 3, 4]))("records of seed %d", (seed) => {
  it("give the same rows alone and among many", { timeout: 60_000 }, async () => {
    const random = newRandom(seed, "few and many");
    const records = Array.from({ length: 300 }, (_, i) =>
      makeRecord(random, i, seed % 2 === 0 ? plainKeys : oddKeys),
    );
    const few = await loadedFrom(records);
    const many = await loadedFrom([...filler, ...records]);
    expect(few.rows.length).toBeGreaterThan(50);
    expect(few.kept.length).toBeGreaterThan(10);
    expect(many).toEqual(few);
  });
});
