import { expect, test } from "vitest";
import { findReports } from "../../../../pipeline/base/report/find.ts";
import { parseHeader } from "../../../../pipeline/base/report/header.ts";

const { reports } = findReports();
const detections = reports.filter(({ detection }) => detection !== undefined);

test("each detection describes its condition, with the limits of all its measures", () => {
  expect(detections.length).toBeGreaterThan(40);
  const incomplete = detections.filter(({ detection }) => {
    const { condition = "", measures } = detection!;
    return condition === "" || measures.some(({ limit }) => !condition.includes(`{${limit}`));
  });
  expect(incomplete.map(({ name }) => name)).toEqual([]);
});

test("a condition with a limit that is not a parameter is refused", () => {
  const lines = [
    "title: T",
    "grain: one row",
    "param: since timestamp = 7d",
    "param: until timestamp = now",
    "detection: low",
    "key: source",
    "subject: source source",
    "at: event_time",
    "condition: {most} events occur",
    "message: {source} had events",
  ];
  const statement = "select source, event_time from events";
  const text = `${lines.map((line) => `-- ${line}\n`).join("")}${statement}`;
  expect(() => parseHeader(text, "q.sql")).toThrow("the condition's limit most is not a parameter");
  expect(parseHeader(text.replace("{most}", "Several"), "q.sql").detection?.condition).toBe(
    "Several events occur",
  );
});
