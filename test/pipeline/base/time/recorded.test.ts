import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listValue } from "@duckdb/node-api";
import { readRecordedMs } from "../../../../pipeline/base/time/text.ts";
import { runFile } from "../../../../pipeline/base/sql/statements.ts";
import { openInMemory, type Database } from "../../../../pipeline/core/store/open.ts";

// The load reads times in SQL, and what is known of a page before it is loaded is read here: both have to agree.

let database: Database;
beforeAll(async () => {
  database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  await runFile(database.connection, "queries/load/macros.sql");
});
afterAll(() => database[Symbol.asyncDispose]());

async function loadedMs(texts: readonly string[]): Promise<(number | undefined)[]> {
  const rows = await database.connection.runAndReadAll(
    `with texts as (select unnest($texts) as text, generate_subscripts($texts, 1) as place)
     select case when fits_moment(to_moment(text)) then epoch_us(to_moment(text)) // 1000 end as ms
     from texts order by place`,
    { texts: listValue([...texts]) },
  );
  return rows.getRows().map(([ms]) => (ms === null ? undefined : Number(ms)));
}

const pad = (number: number, length = 2): string => String(number).padStart(length, "0");
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** How a moment is written, each with how many milliseconds it leaves out. */
const forms: Readonly<Record<string, readonly [write: (ms: number) => string, step: number]>> = {
  seconds: [(ms) => `${Math.floor(ms / 1000)}`, 1000],
  "seconds with a fraction": [(ms) => `${Math.floor(ms / 1000)}.${pad(ms % 1000, 3)}`, 1],
  "seconds just before the next": [(ms) => `${Math.floor(ms / 1000)}.9999999999`, 0],
  milliseconds: [(ms) => `${ms}`, 1],
  "milliseconds with a fraction": [(ms) => `${ms}.9999`, 1],
  microseconds: [(ms) => `${ms}999`, 1],
  "microseconds with a fraction": [(ms) => `${ms}999.9`, 1],
  nanoseconds: [(ms) => `${ms}999999`, 1],
  "nanoseconds with a fraction": [(ms) => `${ms}999999.5`, 1],
  "seconds with an exponent": [(ms) => Math.floor(ms / 1000).toExponential(), 1000],
  "microseconds with an exponent": [(ms) => (ms * 1000).toExponential().replace("+", ""), 1],
  "nanoseconds with an exponent": [(ms) => (Math.floor(ms / 1000) * 1e9).toExponential(), 1000],
  "ISO 8601": [(ms) => new Date(ms).toISOString(), 1],
  "ISO 8601 with a comma": [(ms) => new Date(ms).toISOString().replace(".", ","), 1],
  "ISO 8601 with nanoseconds": [(ms) => new Date(ms).toISOString().replace("Z", "999999Z"), 1],
  "ISO 8601 without marks": [(ms) => new Date(ms).toISOString().replaceAll(/[-:]/g, ""), 1],
  "ISO 8601 with an offset": [
    (ms) => new Date(ms + 19_800_000).toISOString().replace("Z", "+05:30"),
    1,
  ],
  "ISO 8601 with the name of its zone": [
    (ms) => new Date(ms - 10_800_000).toISOString().replace("Z", "-03:00[America/Sao_Paulo]"),
    1,
  ],
  "a blank and a zone": [
    (ms) => new Date(ms).toISOString().replace("T", " ").replace("Z", " +0000 UTC"),
    1,
  ],
  "minutes alone": [(ms) => new Date(ms).toISOString().slice(0, 16), 60_000],
  "RFC 1123": [(ms) => new Date(ms).toUTCString(), 1000],
  "RFC 1123 with an offset": [
    (ms) => {
      const at = new Date(ms + 7_200_000);
      const day = `${weekdays[at.getUTCDay()]}, ${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
      return `${day} ${at.getUTCFullYear()} ${at.toISOString().slice(11, 19)} +0200`;
    },
    1000,
  ],
  "RFC 1123 without a day of the week": [(ms) => new Date(ms).toUTCString().slice(5), 1000],
};

// Milliseconds have 12 digits or more from 1973 on.
const moment = fc.integer({ min: 100_000_000_000, max: 4_000_000_000_000 });

describe("a moment is read from", () => {
  it.each(Object.entries(forms))("%s (seed 7)", async (_form, [write, step]) => {
    const moments = fc.sample(moment, { numRuns: 300, seed: 7 });
    const texts = moments.map(write);
    const expected = moments.map((ms) =>
      step === 0 ? Math.floor(ms / 1000) * 1000 + 999 : ms - (ms % step),
    );
    expect(await loadedMs(texts)).toEqual(expected);
    expect(texts.map(readRecordedMs)).toEqual(expected);
  });

  it.each([
    ["2016-12-31T23:59:60Z", Date.UTC(2017, 0, 1)],
    ["2016-12-31T23:59:60.250Z", Date.UTC(2017, 0, 1) + 250],
    ["2017-01-01T00:59:60+01:00", Date.UTC(2017, 0, 1)],
    ["20161231T235960Z", Date.UTC(2017, 0, 1)],
    ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2017, 0, 1)],
    ["2016-12-31T24:00:00Z", Date.UTC(2017, 0, 1)],
    ["1999999999999999999", 1_999_999_999_999],
  ])("%s", async (text, ms) => {
    expect([await loadedMs([text]), readRecordedMs(text)]).toEqual([[ms], ms]);
  });
});

const nonsense = [
  "",
  " ",
  "null",
  "-1767225600",
  "-1767225600000000",
  "9999999999999999999",
  "99999999999999999999",
  "99999999999999999.5",
  "1767225600.",
  ".5",
  "0x10",
  "1e30",
  "1.7672256e99",
  "2026-02-30T00:00:00Z",
  "2026-13-01",
  "2026-01-01T25:00:00Z",
  "2026-01-01T24:00:01Z",
  "2026-01-01T10:61:00Z",
  "2026-01-01T10:00:61Z",
  "2026-01-01T10:00:00+24:00",
  "2026-01-01T10:00:00 Mars",
  "Thu, 32 Jan 2026 00:00:00 GMT",
  "Thu, 30 Feb 2026 00:00:00 GMT",
  "Thu, 01 Foo 2026 00:00:00 GMT",
  "Day, 01 Jan 2026 00:00:00 GMT",
  "Thu, 01 Jan 2026 24:00:00 GMT",
  "Thu, 01 Jan 2026 00:00:00 PST",
  "Thu, 01 Jan 26 00:00:00 GMT",
  "yesterday",
  "7d",
];

it("both readers reject what is not a time", async () => {
  const none = nonsense.map(() => undefined);
  expect(await loadedMs(nonsense)).toEqual(none);
  expect(nonsense.map(readRecordedMs)).toEqual(none);
});

it("both readers agree on times that are damaged in one place (seed 11)", async () => {
  const written = fc.tuple(moment, fc.constantFrom(...Object.values(forms)));
  const damaged = fc
    .tuple(written, fc.nat(), fc.constantFrom(..."0123456789 .,:-+TZeE"), fc.nat(2))
    .map(([[ms, [write]], at, mark, how]) => {
      const text = write(ms);
      const place = at % text.length;
      const [before, after] = [text.slice(0, place), text.slice(place + 1)];
      return how === 0 ? before + after : how === 1 ? before + mark + after : text.slice(0, place);
    });
  const texts = fc.sample(damaged, { numRuns: 4000, seed: 11 });
  const [sql, own] = [await loadedMs(texts), texts.map(readRecordedMs)];
  const different = texts.flatMap((text, i) => (sql[i] === own[i] ? [] : [[text, sql[i], own[i]]]));
  expect(different).toEqual([]);
});
