import type { DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { escapeControls } from "../../base/printable.ts";
import { nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { countText, formatCount } from "../../base/terminal/amounts.ts";
import { type Finding, findFinding } from "./find.ts";
import { type Measured, parseMeasures } from "./sentences.ts";

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

export async function readFinding(connection: DuckDBConnection, id: string) {
  const finding = await findFinding(connection, id);
  const about = { id: finding.findingId };
  const file = "queries/findings/show.sql";
  return {
    finding,
    measures: parseMeasures(finding.measures),
    events: await queryRows(connection, `${file}#evidence`, eventShape, about),
    decisions: await queryRows(connection, `${file}#history`, decisionShape, about),
  };
}

/** The same over the published file. */
export async function showFinding(id: string, { home, config }: Settings): Promise<ShownFinding> {
  await using database = await openPublished(home.published, readLimits(config));
  return await readFinding(database.connection, id);
}

export type ShownFinding = Awaited<ReturnType<typeof readFinding>>;

const eventsShown = 20;

export function formatFinding({ finding, measures, events, decisions }: ShownFinding): string[] {
  const more = events.length - eventsShown;
  return [
    `${finding.severity.toUpperCase()}  ${finding.title}`,
    finding.message,
    "",
    ...listFindingFacts(finding).map(([label, text]) => formatLabel(label, text)),
    ...measures.map((measure) => formatLabel("measured", measureText(measure))),
    ...(finding.runbook === null ? [] : ["", "What to check", `  ${finding.runbook}`]),
    ...(finding.next === null ? [] : ["", "Next command", `  ${finding.next}`]),
    "",
    `Evidence: ${formatCount(events.length, "event")}`,
    ...events.slice(0, eventsShown).map(formatEvent),
    ...(more > 0 ? [`  … and ${formatCount(more, "earlier event")}`] : []),
    "",
    "History",
    `  ${finding.raisedAt}  raised`,
    ...decisions.map((decision) => `  ${decision.decidedAt}  ${formatDecision(decision)}`),
  ].map(escapeControls);
}

/** A decision in words, without its time. */
export function formatDecision(made: ShownFinding["decisions"][number]): string {
  const { decidedBy, decision, closedAs, reason } = made;
  const as = closedAs === null ? "" : ` as ${closedAs}`;
  return `${decision}${as} by ${decidedBy}${reason === null ? "" : `: ${reason}`}`;
}

export function measureText({ name, value, limit, usual, others }: Measured): string {
  return [
    `${name.replaceAll("_", " ")} ${countText(value ?? 0)} (limit ${countText(limit ?? 0)})`,
    `${usual === null ? "none" : `at most ${countText(usual)}`} in the 30 days before`,
    ...(others === null ? [] : [`median of others ${countText(others)}`]),
  ].join("; ");
}

export function listFindingFacts(finding: Finding): [label: string, text: string][] {
  const { state, stateReason, closedAs, suppressedBy, firstAt, lastAt } = finding;
  const reason = stateReason ?? (closedAs === null ? undefined : `as ${closedAs}`);
  const stateText = suppressedBy === null ? state : `${state}, suppressed by ${suppressedBy}`;
  return [
    ["finding", finding.findingId],
    ["state", reason === undefined ? stateText : `${stateText} (${reason})`],
    [finding.subjectKind, finding.subject],
    ["time", firstAt === lastAt ? firstAt : `${firstAt} to ${lastAt}`],
    ["key", formatKeyValues(finding.key)],
    ["hits", countText(finding.hits)],
    ["detection", finding.detection],
    ["source", finding.source],
    ...(finding.attack === "" ? [] : [["ATT&CK", finding.attack] satisfies [string, string]]),
  ];
}

// As `findings suppress --where` takes them.
function formatKeyValues(key: string): string {
  const values = Object.entries(JSON.parse(key) as Readonly<Record<string, string | null>>);
  const named = values.filter(([name, value]) => name !== "source" && value !== null);
  return named.map(([name, value]) => `${name}=${value}`).join(", ") || "the source";
}

function formatLabel(name: string, value: string): string {
  return `  ${name.padEnd(10)} ${value}`;
}

function formatEvent(event: ShownFinding["events"][number]): string {
  const parts = [
    event.eventTime,
    event.eventName ?? "unnamed",
    event.outcome,
    event.resource ?? "",
    event.ipAddress ?? "",
  ];
  return `  ${parts.filter((part) => part !== "").join("  ")}`;
}
