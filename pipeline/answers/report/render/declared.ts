import { chartColumns, type ChartForm } from "../../chart/form.ts";
import { maxMarks, newPointSum, type Point } from "../../chart/points.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import type { ColumnKind, Rows } from "../../../base/rows/row.ts";
import type { About } from "../result.ts";

/** The chart that a report declares, with what it is to show. */
export type Declared = {
  readonly title: string;
  readonly form: ChartForm;
  /** Of the x axis. */
  readonly kind: ColumnKind;
  readonly points: readonly Point[];
  /** Days that are known in part only. */
  readonly leftOut: number;
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
    throw new UsageError(
      "no chart is declared; add -- chart: bars x=COLUMN y=COLUMN to the report's header",
    );
  const sum = newPointSum(form, columns);
  if (sum === undefined)
    throw new UsageError(
      `the chart needs the columns ${chartColumns(form).join(", ")}; the rows have ${columns.map(({ name }) => name).join(", ")}`,
    );
  for await (const batch of batches) sum.add(batch);
  const points = sum.points();
  if (points === undefined)
    throw new AuditlakeError(
      `the rows have too many values of ${form.x} for a chart, which holds ${maxMarks}; ask for a shorter range`,
    );
  const { kind } = columns.find(({ name }) => name === form.x)!;
  return { title: about.title, form, kind, ...wholeDays(points, about) };
}

/** The points without those of days that are known in part only, and how many such days there are. */
export function wholeDays(
  points: readonly Point[],
  { isPartDay = () => false }: Pick<About, "isPartDay">,
): { readonly points: readonly Point[]; readonly leftOut: number } {
  const whole = points.filter(({ x }) => !isPartDay(x));
  const days = (some: readonly Point[]): number => new Set(some.map(({ x }) => x)).size;
  return { points: whole, leftOut: days(points) - days(whole) };
}

/** What is said of days that a chart leaves out; empty where it leaves out none. */
export function leftOutText(leftOut: number): string {
  if (leftOut === 0) return "";
  return leftOut === 1 ? "1 part day is not drawn" : `${leftOut} part days are not drawn`;
}
