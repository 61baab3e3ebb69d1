import { afterAll, beforeAll, expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { readingTexts } from "../support/command.ts";
import { loadRecords, type Loaded } from "../support/load-records.ts";
import { oracles } from "./oracle/all.ts";
import { comparable } from "./oracle/comparable.ts";
import { reports, runReport } from "./run.ts";
import { makeQuestion } from "./threshold-questions.ts";
import { thresholdRecords, thresholdUsers } from "./threshold-records.ts";

// Every report that has an oracle, run several times on records at the ends of the requested range.
const seed = 2;
const records = thresholdRecords(seed, 6);
const timezones = ["America/St_Johns", "Asia/Tokyo"];
const compared = reports.filter(({ name }) => oracles[name] !== undefined);

let loaded: Loaded;
beforeAll(async () => {
  loaded = await loadRecords(records, thresholdUsers, readingTexts, { timezones });
});
afterAll(() => loaded.close());

// There are no snapshots, nor a month of usual amounts; and the requested jobs may be outside.
const elsewhere = ["permission_drift", "unexplained_right", "unusual_volumes", "job_timeline"];

test.each(compared)("$name equals its oracle at the ends of ranges", async (report) => {
  const random = newRandom(seed, report.name);
  let found = 0;
  // These put together much of everything.
  const questions = /^(?:user|resource)_timeline$/.test(report.name) ? 1 : 3;
  for (let i = 0; i < questions; i++) {
    const params = makeQuestion(report, random);
    const given = Object.entries(params).map(([name, value]): [string, string] => [
      name,
      /^(?:since|until|on)$/.test(name) ? new Date(value).toISOString() : String(value),
    ]);
    const { rows } = await runReport(loaded.connection, report, new Map(given));
    const expected = oracles[report.name]!(records, thresholdUsers, params);
    expect(comparable(rows), JSON.stringify(given)).toEqual(comparable(expected));
    found += rows.length;
  }
  if (!elsewhere.includes(report.name)) expect(found).toBeGreaterThan(0);
});
