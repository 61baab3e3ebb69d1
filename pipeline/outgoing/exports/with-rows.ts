import type { NamedTarget } from "../targets/destination.ts";
import { mapOutputs } from "../targets/outputs.ts";
import type { Report } from "../../base/report/find.ts";
import { isStatement } from "../../answers/report/statement.ts";
import { type GivenValues, buildQuestion, formatRange } from "../../base/report/params.ts";
import type { Rows } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { DeliveryOrder } from "../deliveries/target.ts";
import { emptyNotice, listReachLines } from "../../answers/report/reach.ts";
import { openEngine } from "../../answers/ask/engine.ts";
import type { Question } from "../../base/sql/question.ts";
import { formatValue } from "../../base/report/values.ts";
import { computeSha256 } from "../../base/home/durable.ts";

export type ExportOrder = Omit<DeliveryOrder, "deliveryId" | "ledger"> & {
  readonly report: Report;
  readonly given: GivenValues;
  readonly to: string;
  /** Begin another delivery, although one did not come to its end. */
  readonly isNew: boolean;
  /** When the schedule wanted it, milliseconds since the epoch; another moment is another delivery. */
  readonly dueMs?: number | undefined;
};

/** Builds what two exports share if one resumes the other: the report, and its parameters. */
export function buildKey({ report, given }: ExportOrder): string {
  const place = isStatement(report) ? [report.file] : [];
  return computeShortHash([report.name, [...given].toSorted(), ...place]);
}

/** Where rows go, and the moment that they are of. */
type ExportTarget = { readonly target: NamedTarget; readonly nowMs: number };

/** Runs the report for a moment and hands its rows on, mapped as the target has it. */
export async function withRows<T>(
  { report, given, print, target, nowMs }: ExportOrder & ExportTarget,
  settings: Settings,
  world: World,
  work: (rows: Rows) => Promise<T>,
): Promise<T> {
  const question = buildQuestion(report, given, nowMs);
  await using engine = await openEngine([report], settings, world, print);
  for (const line of formatRange(question.values)) print(line);
  const result = await engine.rows(report, question, world.signal);
  const reach = engine.reach();
  for (const line of listReachLines(reach, [question.values])) print(line);
  if (reach?.isEmpty === true) print(emptyNotice());
  const facts = { nowMs, id: report.name, title: report.title };
  return await work(mapOutputs(result, target.outputs, facts));
}

/**
 * Names the export of a report with these parameters. The name is the same for the same report, range and values, so
 * that another export replaces the first. Safe as a file name: `new_denials-20261120T000000Z-20261121T000000Z`.
 */
export function exportName(report: string, { values }: Question): string {
  const texts = Object.entries(values)
    .map(([name, value]) => [name, formatValue(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const range = ["since", "until"].flatMap((name) => texts.filter(([key]) => key === name));
  const others = texts.filter(([name]) => name !== "since" && name !== "until");
  return [
    report,
    ...range.map(([, text]) => text.replaceAll(/[^0-9A-Za-z.]/g, "")).filter((text) => text !== ""),
    ...(others.length === 0 ? [] : [computeShortHash(others)]),
  ].join("-");
}

/** Computes eight hexadecimal digits that identify a value. */
export function computeShortHash(value: unknown): string {
  return computeSha256(JSON.stringify(value)).slice(0, 8);
}
