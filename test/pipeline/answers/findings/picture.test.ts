import fc from "fast-check";
import { expect, it } from "vitest";
import { drawFindingPicture } from "../../../../pipeline/answers/findings/picture.ts";
import type { PictureEvent } from "../../../../pipeline/answers/findings/picture-marks.ts";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { findAll, hostileName, parseDrawing, readNumber } from "../chart/drawing.ts";

const finding = { severity: "high", lastAt: "2026-11-22 18:57:10" };

function eventAt(eventTime: string, facts: Partial<PictureEvent> = {}): PictureEvent {
  return { eventTime, eventName: "sign_in", outcome: "succeeded", bytesize: null, ...facts };
}

function drawParts(events: readonly PictureEvent[]): {
  marks: string[];
  words: string;
  label: string;
} {
  const root = parseDrawing(drawFindingPicture(finding, events));
  const [svg] = findAll(root, "svg");
  const names = findAll(root, "*").flatMap((each) => {
    const name = each.getAttribute("class") ?? "";
    return /^(?:fail|deny|crf|hgf|medf|lowf|sl|c1|s-hot)\b/.test(name)
      ? [`${each.tagName} ${name}`]
      : [];
  });
  const words = findAll(root, "div", "muted")[0]!.textContent!;
  return { marks: names, words, label: svg!.getAttribute("aria-label")! };
}

it("shows failures as ticks and the sign-in after them as a dot", () => {
  const failed = { eventName: "sign_in_failed", outcome: "failed" };
  const events = [
    ...["11:22:25", "11:23:00", "11:25:48"].map((time) => eventAt(`2026-11-23 ${time}`, failed)),
    eventAt("2026-11-23 11:25:59"),
  ];
  const { marks, words, label } = drawParts(events);
  expect(marks).toEqual(["rect fail", "rect fail", "rect fail", "circle c1 dotf"]);
  expect(words).toBe("3 failed sign-ins, then sign-in");
  expect(label).toBe("3 failed sign-ins, then sign-in, 11:22–11:25");
});

it("shows a change as a square, and downloads as dots of their size", () => {
  const events = [
    eventAt("2026-11-22 17:51:47", { eventName: "permission_policy_attach_user" }),
    ...[1e6, 2e9].map((bytesize, i) =>
      eventAt(`2026-11-22 17:5${5 + i}:00`, { eventName: "job_result_download", bytesize }),
    ),
  ];
  const root = parseDrawing(drawFindingPicture(finding, events));
  const sizes = findAll(root, "circle").map((circle) => readNumber(circle, "r"));
  expect(sizes).toEqual([10, 3.2]);
  expect(drawParts(events).marks).toContain("rect hgf");
  expect(drawParts(events).words).toBe("rights change, then 2 downloads");
});

it("shows a single event in its week, the weekend shaded", () => {
  const root = parseDrawing(
    drawFindingPicture(finding, [eventAt("2026-11-21 12:00:00", { eventName: "policy_modify" })]),
  );
  const [weekend] = findAll(root, "rect", "wk");
  expect(readNumber(weekend!, "x")).toBeCloseTo((5 / 7) * 100, 2);
  const [square] = findAll(root, "rect", "hgf");
  expect(readNumber(square!, "x")).toBeCloseTo((5.5 / 7) * 100, 2);
  expect(findAll(root, "div", "muted")[0]!.textContent).toBe("Sat 21 Nov 12:00");
});

it("shows events over weeks, or none, as 30 days", () => {
  const days = [1, 1, 9, 26].map((day) =>
    eventAt(`2026-11-${String(day).padStart(2, "0")} 10:00:00`, { outcome: "denied" }),
  );
  const root = parseDrawing(drawFindingPicture(finding, days));
  const columns = findAll(root, "rect");
  expect(columns).toHaveLength(30);
  expect(
    columns.flatMap((column, i) => (column.getAttribute("class") === "s-hot" ? [i] : [])),
  ).toEqual([4, 12, 29]);
  expect(drawParts(days).words).toBe("4 denials in 30 days");
  expect(drawParts([]).words).toBe("no events in 30 days");
});

const anyEvent = fc.record({
  eventTime: fc
    .integer({ min: Date.UTC(2026, 9, 1), max: Date.UTC(2026, 10, 27) })
    .map((ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ")),
  eventName: fc.option(
    fc.oneof(hostileName, fc.constantFrom("sign_in", "policy_modify", "job_result_download")),
  ),
  outcome: fc.constantFrom("succeeded", "failed", "denied", "unknown"),
  bytesize: fc.option(fc.integer({ min: 0, max: 2 ** 53 - 1 })),
});

it("draws any events within its frame, with labels, and escapes their text", () => {
  const severity = fc.constantFrom("critical", "high", "medium", "low", "info");
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Tokyo");
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), severity, zone, (events, own, inZone) => {
      const drawing = drawFindingPicture(
        { severity: own, lastAt: "2026-11-27 10:00:00" },
        events,
        inZone,
      );
      const root = parseDrawing(drawing);
      expect(getMarkupText(drawing)).not.toMatch(/NaN|undefined|Infinity|<script|\son\w+=/);
      for (const mark of [...findAll(root, "rect"), ...findAll(root, "circle")]) {
        const x = mark.hasAttribute("cx") ? readNumber(mark, "cx") : readNumber(mark, "x");
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(100);
      }
      expect(findAll(root, "div", "muted")[0]!.textContent).not.toBe("");
    }),
  );
});
