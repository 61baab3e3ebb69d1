import type { Preview } from "./previewed.ts";
import { mapOutputs } from "../targets/outputs.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { Row } from "../../base/rows/row.ts";
import { rowsOfStatus } from "../../core/store/activation/compare.ts";
import type { Comparison } from "./compare-with-last.ts";
import type { Started } from "./started.ts";

/** The first rows of each mapped class that would go out, mapped as they would be; to be called inside the comparison. */
export async function previewOf(
  { name, activation, source, targets, order, connection, world }: Started,
  { out }: Comparison,
  limit: number,
): Promise<Preview[]> {
  const previews: Preview[] = [];
  if (limit === 0) return previews;
  const facts = { nowMs: world.now(), id: name, title: source.title, timezone: order.timezone };
  for (const { status, target } of targets.filter((each) => out[each.status] > 0)) {
    const { sql, values } = await rowsOfStatus(connection, status);
    const first = { sql: `${sql} limit ${limit}`, values };
    const found = await runStatement(connection, first, world.signal);
    const { columns, batches } = mapOutputs(found, activation.outputs ?? target.outputs, facts);
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    previews.push({ status, columns, rows });
  }
  return previews;
}
