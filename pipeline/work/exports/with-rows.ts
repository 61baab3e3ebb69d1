import type { NamedTarget } from "../targets/connector.ts";
import { mapOutputs } from "../targets/outputs.ts";
import type { Report } from "../../answers/report/find.ts";
import { isStatement } from "../../answers/report/statement.ts";
import { questionOf, rangeLines, type Given } from "../../answers/report/params.ts";
import type { Rows } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { DeliveryOrder } from "../deliveries/target.ts";
import { emptyWarning, reachLines } from "../../answers/report/reach.ts";
import { openEngine } from "../../answers/ask/engine.ts";
import { shortHash } from "./name.ts";

/** A report to deliver. */
export type ExportOrder = Omit<DeliveryOrder, "deliveryId" | "ledger"> & {
  readonly report: Report;
  readonly given: Given;
  /** Name of the target. */
  readonly to: string;
  /** Begin another delivery, although one did not come to its end. */
  readonly isNew: boolean;
  /** When the schedule wanted it, milliseconds since the epoch; another moment is another delivery. */
  readonly dueMs?: number | undefined;
};

/** What two exports share if the one goes on with what the other began: the report, and what was given for it. */
export function keyOf({ report, given }: ExportOrder): string {
  const place = isStatement(report) ? [report.file] : [];
  return shortHash([report.name, [...given].toSorted(), ...place]);
}

/** Where rows go, and the moment that they are of. */
type Aimed = { readonly target: NamedTarget; readonly nowMs: number };

/** Runs the report for a moment and hands its rows on, mapped as the target has it. */
export async function withRows<T>(
  { report, given, print, target, nowMs }: ExportOrder & Aimed,
  settings: Settings,
  world: World,
  work: (rows: Rows) => Promise<T>,
): Promise<T> {
  const question = questionOf(report, given, nowMs);
  await using engine = await openEngine([report], settings, world, print);
  for (const line of rangeLines(question.values)) print(line);
  const result = await engine.rows(report, question, world.signal);
  const reach = engine.reach();
  for (const line of reachLines(reach, [question.values])) print(line);
  if (reach?.isEmpty === true) print(emptyWarning());
  const facts = { nowMs, id: report.name, title: report.title };
  return await work(mapOutputs(result, target.outputs, facts));
}
