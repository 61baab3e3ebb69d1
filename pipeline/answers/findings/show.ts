import type { DuckDBConnection } from "@duckdb/node-api";
import { z } from "zod";
import { printable } from "../../base/printable.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { countText, plural } from "../../base/terminal/amounts.ts";
import { type Finding, findFinding } from "./find.ts";

const measures = z.array(
  z.object({ name: z.string(), value: z.number().nullable(), limit: z.number().nullable() }),
);

const eventShape = {
  eventTime: text,
  eventName: nullable(text),
  actor: text,
  ipAddress: nullable(text),
  outcome: text,
  resource: nullable(text),
  eventKey: text,
};

const decisionShape = {
  decidedAt: text,
  decidedBy: text,
  decision: text,
  closedAs: nullable(text),
  reason: nullable(text),
};

const usualShape = {
  name: text,
  ownMost: nullable(Number),
  othersMedian: nullable(Number),
  others: count,
};

/** All that there is to show of a finding. */
export async function readFinding(connection: DuckDBConnection, id: string) {
  const finding = await findFinding(connection, id);
  const about = { id: finding.findingId };
  const ask = {
    ...about,
    detection: finding.detection,
    key: finding.key,
    first_at: finding.firstMoment,
  };
  const file = "queries/findings/show.sql";
  return {
    finding,
    measures: measures.parse(JSON.parse(finding.measures)),
    events: await queryRows(connection, `${file}#evidence`, eventShape, about),
    decisions: await queryRows(connection, `${file}#history`, decisionShape, about),
    usual: await queryRows(connection, `${file}#usual`, usualShape, ask),
  };
}

export type ShownFinding = Awaited<ReturnType<typeof readFinding>>;

const eventsShown = 20;

/** The lines of a finding for a terminal. */
export function findingLines({
  finding,
  measures,
  events,
  decisions,
  usual,
}: ShownFinding): string[] {
  const more = events.length - eventsShown;
  return [
    `${finding.severity.toUpperCase()}  ${finding.title}`,
    finding.message,
    "",
    ...factLines(finding),
    ...measures.flatMap(({ name, value, limit }) => {
      const known = usual.find((each) => each.name === name);
      const own = known?.ownMost ?? null;
      const others = known?.othersMedian ?? null;
      const parts = [
        `${name.replaceAll("_", " ")} ${countText(value ?? 0)} (limit ${countText(limit ?? 0)})`,
        own === null
          ? "no finding of the same key in the 30 days before"
          : `${countText(own)} at most in the 30 days before`,
        ...(others === null ? [] : [`others ${countText(others)} (median of ${known!.others})`]),
      ];
      return [label("measured", parts.join("; "))];
    }),
    ...(finding.runbook === null ? [] : ["", "What to check", `  ${finding.runbook}`]),
    ...(finding.next === null ? [] : ["", "Next command", `  ${finding.next}`]),
    "",
    `Evidence: ${plural(events.length, "event")}`,
    ...events.slice(0, eventsShown).map(eventLine),
    ...(more > 0 ? [`  … and ${plural(more, "earlier event")}`] : []),
    "",
    "History",
    `  ${finding.raisedAt}  raised`,
    ...decisions.map(
      ({ decidedAt, decidedBy, decision, closedAs, reason }) =>
        `  ${decidedAt}  ${decision}${closedAs === null ? "" : ` as ${closedAs}`} by ${decidedBy}${reason === null ? "" : `: ${reason}`}`,
    ),
  ].map(printable);
}

function factLines(finding: Finding): string[] {
  const { state, stateReason, closedAs, suppressedBy } = finding;
  const reason = stateReason ?? (closedAs === null ? undefined : `as ${closedAs}`);
  const stateText = suppressedBy === null ? state : `${state}, suppressed by ${suppressedBy}`;
  return [
    label("finding", finding.findingId),
    label("state", reason === undefined ? stateText : `${stateText} (${reason})`),
    label(finding.subjectKind, finding.subject),
    label(
      "time",
      finding.firstAt === finding.lastAt
        ? finding.firstAt
        : `${finding.firstAt} to ${finding.lastAt}`,
    ),
    label("hits", countText(finding.hits)),
    label("detection", finding.detection),
    label("source", finding.source),
    ...(finding.attack === "" ? [] : [label("ATT&CK", finding.attack)]),
  ];
}

function label(name: string, value: string): string {
  return `  ${name.padEnd(10)} ${value}`;
}

function eventLine(event: ShownFinding["events"][number]): string {
  const parts = [
    event.eventTime,
    event.eventName ?? "unnamed",
    event.outcome,
    event.resource ?? "",
    event.ipAddress ?? "",
  ];
  return `  ${parts.filter((part) => part !== "").join("  ")}`;
}
