import { describe, expect, it } from "vitest";
import { readTimes } from "../../../../pipeline/core/records/event-times.ts";

const moment = Date.UTC(2026, 2, 1);
const seconds = moment / 1000;

describe("the times of a page", () => {
  it.each([
    ["seconds", seconds],
    ["milliseconds", moment],
    ["seconds as text", String(seconds)],
    ["microseconds", moment * 1000],
    ["nanoseconds as text", `${moment}000000`],
    ["RFC 1123", "Sun, 01 Mar 2026 00:00:00 GMT"],
    ["ISO 8601", "2026-03-01T00:00:00Z"],
    ["ISO 8601 without a zone", "2026-03-01 00:00:00"],
  ])("are read from %s", (_form, time) => {
    const page = Buffer.from(JSON.stringify({ audits: [{ time, event_name: "job_kill" }] }));
    expect(readTimes(page, "json", null)).toEqual([moment]);
  });

  it.each([
    [7e9, 7e12],
    [1e11, 1e11],
    [7e12, 7e12],
    [1e14, 1e11],
    [7e15, 7e12],
  ])("of the number %i are %s: where milliseconds and microseconds begin", (time, ms) => {
    for (const one of [time, String(time)])
      expect(readTimes(Buffer.from(JSON.stringify([{ time: one }])), "json", null)).toEqual([ms]);
  });

  it("keep their second where a number has more digits than a double", () => {
    const page = Buffer.from(`[{"time":${seconds}999999999}]`);
    expect(readTimes(page, "json", null)).toEqual([moment + 999]);
  });

  it("are read from lines and from CSV", () => {
    const lines = Buffer.from(`{"time":${seconds}}\n{"time":${seconds + 1}}\n`);
    expect(readTimes(lines, "ndjson", null)).toEqual([moment, moment + 1000]);
    const csv = Buffer.from(`time,event_name\n${seconds},job_kill\n`);
    expect(readTimes(csv, "csv", null)).toEqual([moment]);
  });

  it.each([{}, { time: null }, { time: "7d" }, { time: 8e15 }, { time: "2026-02-30" }])(
    "are unknown for %j",
    (record) => {
      const page = Buffer.from(JSON.stringify({ audits: [record] }));
      expect(readTimes(page, "json", "audits")).toEqual([undefined]);
    },
  );
});
