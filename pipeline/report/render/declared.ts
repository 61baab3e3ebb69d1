import { type ChartForm, maxMarks, newPointSum, type Point } from "../../chart/points.ts";
import { AuditlakeError, UsageError } from "../../errors.ts";
import type { ColumnKind, Rows } from "../../rows/row.ts";
import type { About } from "../result.ts";

/** The chart that a report declares, with what it is to show. */
export type Declared = {
  readonly title: string;
  readonly form: ChartForm;
  /** Of the x axis. */
  readonly kind: ColumnKind;
  readonly points: readonly Point[];
};

/**
 * Reads all rows for the chart that their report declares. Throws UsageError where it declares none or the rows lack
 * its columns, AuditlakeError where they are too many to be drawn.
 */
export async function declaredChart(
  { columns, batches }: Rows,
  about: About | undefined,
): Promise<Declared> {
  const form = about?.chart;
  if (about === undefined || form === undefined)
    throw new UsageError("no chart is declared; add -- chart: bar x y to the report's header");
  const sum = newPointSum(form, columns);
  if (sum === undefined)
    throw new UsageError(
      `the chart needs the columns ${form.x} and ${form.y}; the rows have ${columns.map(({ name }) => name).join(", ")}`,
    );
  for await (const batch of batches) sum.add(batch);
  const points = sum.points();
  if (points === undefined)
    throw new AuditlakeError(
      `the rows have too many values of ${form.x} for a chart, which holds ${maxMarks}; ask for a shorter range`,
    );
  const { kind } = columns.find(({ name }) => name === form.x)!;
  return { title: about.title, form, kind, points };
}
