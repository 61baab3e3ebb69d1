import type { FileTarget } from "../../../../schemas/connectors/file.ts";
import { textForms } from "../../../base/rows/text-forms.ts";
import type { Rows } from "../../../base/rows/row.ts";
import type { Deliver } from "../../../work/targets/destination.ts";
import { partsByDay, type Parting } from "./day.ts";
import { newDraft, type Draft } from "./draft.ts";
import { writeParquet } from "./parquet.ts";
import { writeText } from "./text.ts";

/**
 * Writes rows into a folder, whole or not at all, in one file or one for each day. The name of the files is that of
 * the delivery unless configured, so that a delivery which is repeated replaces its files.
 */
export const deliverToFile: Deliver<FileTarget> = async (target, rows, { deliveryId, ledger }) => {
  const { folder, format, file_name: fileName, partition_by_day: dayColumn } = target;
  const parting = partsByDay(dayColumn, rows.columns);
  // Under a configured name lie the days of earlier deliveries too; those stay.
  const isWhole = parting.isParted && fileName === undefined;
  await using draft = await newDraft(folder, `${fileName ?? deliveryId}.${format}`, isWhole);
  const accepted = await write(target, rows, parting, draft);
  const places = await draft.commit();
  if (accepted > 0) await ledger.record([[1, accepted]], "accepted");
  const notes = [filesText(folder, places)];
  return { target: target.name, accepted, refused: 0, outcome: "delivered", notes };
};

async function write(
  { format, raw }: FileTarget,
  rows: Rows,
  parting: Parting,
  draft: Draft,
): Promise<number> {
  if (format === "parquet") return writeParquet(rows, parting, draft);
  return writeText(rows, await textForms[format](), { raw }, parting, draft);
}

function filesText(folder: string, places: readonly string[]): string {
  const [first] = places;
  if (first === undefined) return `no rows, so no file below ${folder}`;
  if (places.length === 1) return `wrote ${first}`;
  return `wrote ${places.length} files below ${folder}`;
}
