import { describe, expect, it } from "vitest";
import { timesOf } from "../../../pipeline/records/event-times.ts";

const moment = Date.UTC(2026, 2, 1);
const seconds = moment / 1000;

describe("the times of a page", () => {
  it.each([
    ["seconds", seconds],
    ["milliseconds", moment],
    ["seconds as text", String(seconds)],
    ["ISO 8601", "2026-03-01T00:00:00Z"],
    ["ISO 8601 without a zone", "2026-03-01 00:00:00"],
  ])("are read from %s", (_form, time) => {
    const page = Buffer.from(JSON.stringify({ audits: [{ time, event_name: "job_kill" }] }));
    expect(timesOf(page, "json", null)).toEqual([moment]);
  });

  it.each([
    [1e11 - 1, (1e11 - 1) * 1000],
    [1e11, 1e11],
    [1e14 - 1, 1e14 - 1],
    [1e14, undefined],
  ])("of the number %i are %s: where milliseconds begin, and where times end", (time, ms) => {
    for (const one of [time, String(time)])
      expect(timesOf(Buffer.from(JSON.stringify([{ time: one }])), "json", null)).toEqual([ms]);
  });

  it("are read from lines and from CSV", () => {
    const lines = Buffer.from(`{"time":${seconds}}\n{"time":${seconds + 1}}\n`);
    expect(timesOf(lines, "ndjson", null)).toEqual([moment, moment + 1000]);
    const csv = Buffer.from(`time,event_name\n${seconds},job_kill\n`);
    expect(timesOf(csv, "csv", null)).toEqual([moment]);
  });

  it.each([{}, { time: null }, { time: "7d" }, { time: 1e15 }, { time: "2026-02-30" }])(
    "are unknown for %j",
    (record) => {
      const page = Buffer.from(JSON.stringify({ audits: [record] }));
      expect(timesOf(page, "json", "audits")).toEqual([undefined]);
    },
  );
});
