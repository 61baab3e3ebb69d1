import { formatDay } from "../../../base/time/text.ts";
import { drawBars } from "../../../answers/chart/bars.ts";
import { drawLegend } from "../../../answers/chart/draw-chart.ts";
import { drawSparkline } from "../../../answers/chart/sparkline.ts";
import { listDays } from "../../../answers/chart/slots.ts";
import type { Slot } from "../../../answers/investigate/activity.ts";
import type { Range } from "../../../answers/investigate/subject.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { countText } from "../../../base/terminal/amounts.ts";
import { toWallMs } from "../../../base/time/wall.ts";
import { cellOf, numberOf, textOf, timeOf } from "../columns.ts";
import { buildEventsUrl, type SubjectVisit } from "./visit.ts";

const kindNames: Readonly<Record<string, string>> = {
  failed_sign_in: "Failed sign-in",
  unauthorized_action: "Not permitted",
  column_visibility_denial: "Hidden column",
  folder_permission_denial: "Folder",
  failed_result_export: "Export failed",
  denied_job_result_download: "Download refused",
};

/** Denials by kind with a line of days each; null without any. */
export function writeDenialsCard(
  { visit, range }: SubjectVisit,
  slots: readonly Slot[],
): Markup | null {
  const denials = slots.filter(({ lane }) => lane === "denial");
  if (denials.length === 0) return null;
  const { display } = visit;
  const days = listRangeDays(range, display.zone);
  const kinds = Map.groupBy(denials, ({ denialKind, outcome }) => denialKind ?? outcome);
  const rows = [...kinds]
    .map(([kind, own]) => ({
      kind: kindNames[kind] ?? kind,
      events: own.reduce((total, { events }) => total + events, 0),
      lastMs: Math.max(...own.map(({ slotMs }) => slotMs)),
      values: countByDay(own, days, display.zone),
      paint: own.every(({ outcome }) => outcome === "failed")
        ? ("fail" as const)
        : ("deny" as const),
    }))
    .toSorted((a, b) => b.events - a.events);
  const lines = new Map(rows.map(({ kind, values, paint }) => [kind, { values, paint }]));
  return writeTable({
    label: "Denials by kind",
    title: "Denials by kind",
    display,
    columns: [
      textOf("kind", "Kind"),
      numberOf("events", "Denials"),
      timeOf("last_at", "Last", {
        isMinor: true,
        write: (cell) => formatTime(String(cell), display),
      }),
      textOf("days", "Per day", {
        write: (_cell, row) =>
          drawSparkline({
            label: `${String(row[0])} per day`,
            ...lines.get(String(row[0]))!,
            height: 22,
          }),
      }),
    ],
    rows: rows.map(({ kind, events, lastMs }) => [kind, events, cellOf(lastMs), kind]),
  });
}

function listRangeDays({ sinceMs, untilMs }: Range, zone: string): string[] {
  const [first, last] = [sinceMs, untilMs - 1].map((ms) => formatDay(toWallMs(zone, ms)));
  return listDays(first!, last!);
}

function countByDay(slots: readonly Slot[], days: readonly string[], zone: string): number[] {
  const counts = new Map<string, number>();
  for (const { slotMs, events } of slots) {
    const day = formatDay(toWallMs(zone, slotMs));
    counts.set(day, (counts.get(day) ?? 0) + events);
  }
  return days.map((day) => counts.get(day) ?? 0);
}

/** Writes the events by hour of the day, failed and denied ones at the bottom, with the usual shape of all people. */
export function writeHoursCard(
  { visit, range }: SubjectVisit,
  slots: readonly Slot[],
  everyone: readonly { readonly slotMs: number; readonly events: number }[],
  filter: Readonly<Record<string, string>>,
): Markup {
  const { zone } = visit.display;
  const count = (
    all: readonly { readonly slotMs: number; readonly events: number }[],
  ): number[] => {
    const hours = Array.from({ length: 24 }, () => 0);
    for (const { slotMs, events } of all)
      hours[new Date(toWallMs(zone, slotMs)).getUTCHours()]! += events;
    return hours;
  };
  const refused = count(slots.filter(({ lane }) => lane === "denial"));
  const others = count(slots.filter(({ lane }) => lane !== "denial"));
  const all = count(everyone);
  const most = Math.max(1, ...refused.map((value, hour) => value + others[hour]!));
  const scale = most / Math.max(1, ...all);
  const series = [
    { name: "failed or denied", paint: "fail" as const, values: refused },
    { name: "other events", paint: "ok" as const, values: others },
  ];
  const chart = drawBars({
    label: "Events by hour of the day, and the shape of everyone's day",
    height: 160,
    slots: refused.map((_, hour) => ({
      name: `${String(hour).padStart(2, "0")}:00–${String(hour + 1).padStart(2, "0")}:00`,
      ...(hour % 6 === 0 ? { label: `${String(hour).padStart(2, "0")}:00` } : {}),
      tip: [
        `${countText(refused[hour]! + others[hour]!)} events, ${countText(refused[hour]!)} failed or denied`,
      ],
    })),
    series,
    usual: all.map((value) => value * scale),
  });
  return html`<div class="card">
    <div class="hd">
      <h2>Hours of the day</h2>
      <span class="sp"></span>${drawLegend(series)}
    </div>
    <div class="bd">
      ${chart}
      <p class="small muted">
        Dashed: shape of everyone’s day, at its own scale.
        <a href="${buildEventsUrl(filter, range)}">Events</a>
      </p>
    </div>
  </div>`;
}
