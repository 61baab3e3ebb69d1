import { dirname, join, relative, resolve } from "node:path";
import type { FileTarget } from "../../../../schemas/connectors/file.ts";
import type { Rows, TextForm, TextOptions } from "../../../base/rows/row.ts";
import type { Deliver, Destination, WithName } from "../../../outgoing/targets/destination.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";
import { type Partition, partitionByDay } from "./day.ts";
import { existsSync, statSync } from "node:fs";
import { access, appendFile, constants, rm, writeFile } from "node:fs/promises";
import { newDraftPath } from "../../../base/home/drafts.ts";
import { AuditlakeError, getMessage } from "../../../base/errors.ts";
import { textForms } from "../../../base/rows/text-forms.ts";
import { type Draft, newDraft } from "./draft.ts";
import { writeParquet } from "./parquet.ts";

/**
 * Writes rows into a folder, whole or not at all, in one file or one for each day. The name of the files is that of
 * the delivery unless configured, so that a delivery which is repeated replaces its files.
 */
export const deliverToFile: Deliver<FileTarget> = async (target, rows, { deliveryId, ledger }) => {
  const { folder, format, file_name: fileName, partition_by_day: dayColumn } = target;
  const parting = partitionByDay(dayColumn, rows.columns);
  // Under a configured name lie the days of earlier deliveries too; those stay.
  const isWhole = parting.isParted && fileName === undefined;
  await using draft = await newDraft(folder, `${fileName ?? deliveryId}.${format}`, isWhole);
  const accepted = await write(target, rows, parting, draft);
  const places = await draft.commit();
  if (accepted > 0) await ledger.record([[1, accepted]], "accepted");
  const notes = [formatFiles(folder, places)];
  return { target: target.name, accepted, refused: 0, outcome: "delivered", notes };
};

async function write(
  { format, raw }: FileTarget,
  rows: Rows,
  parting: Partition,
  draft: Draft,
): Promise<number> {
  if (format === "parquet") return writeParquet(rows, parting, draft);
  return writeText(rows, await textForms[format](), { raw }, parting, draft);
}

function formatFiles(folder: string, places: readonly string[]): string {
  const [first] = places;
  if (first === undefined) return `no rows, so no file was written below ${folder}`;
  if (places.length === 1) return `wrote ${first}`;
  return `wrote ${places.length} files below ${folder}`;
}

/** Checks that files can be written into the folder of a target; leaves nothing there. */
async function tryFolder({ folder }: FileTarget): Promise<string[]> {
  try {
    if (!existsSync(folder)) {
      let above = dirname(folder);
      while (!existsSync(above)) above = dirname(above);
      if (!statSync(above).isDirectory()) throw new Error(`${above} is not a folder`);
      await access(above, constants.W_OK);
      return [`${folder} does not exist yet and can be created`];
    }
    const draft = newDraftPath(folder);
    await writeFile(draft, "", { mode: 0o600, flag: "wx" });
    await rm(draft);
    return [`${folder} is writable`];
  } catch (error) {
    throw new AuditlakeError(
      `${folder} is not writable: ${getMessage(error)}; grant this user write permission, or choose another folder`,
    );
  }
}

/** A folder that results are written to. */
export const fileDestination: Destination<FileTarget> = {
  deliver: deliverToFile,
  preview: previewRows,
  describe: ({ folder }) => folder,
  secrets: () => [],
  needsCredentials: () => false,
  test: tryFolder,
  paths: ["folder"],
  replaces: ({ folder, file_name: name, format }) =>
    name === undefined ? undefined : join(resolve(folder), `${name}.${format}`),
  // With a fixed name, days without rows in this run would keep the rows of the last one.
  unfitForClass: ({ file_name: name, partition_by_day: day }) =>
    name === undefined || day === undefined
      ? undefined
      : `file_name ${name} with partition_by_day would leave rows of the last run in the folders of other days; remove one of the two`,
  // Under a name that stays, a consumer would read the rows of the last run again.
  goesOutEmpty: (target) => target.file_name !== undefined && target.when_empty === "write",
};

async function previewRows(target: WithName<FileTarget>, rows: Rows): Promise<string> {
  const { isParted, getPart } = partitionByDay(target.partition_by_day, rows.columns);
  const parts = new Set<string>();
  let total = 0;
  for await (const batch of rows.batches)
    for (const row of batch) {
      parts.add(getPart(row));
      total += 1;
    }
  const place = relative("", target.folder) || ".";
  const days = isParted ? ` for ${parts.size} ${parts.size === 1 ? "day" : "days"}` : "";
  return `${formatRowCount(total)} as ${target.format}${days} below ${place}`;
}

/** Writes rows in a form of text, each to the file of its part; resolves to the number of rows. */
async function writeText(
  { columns, batches }: Rows,
  form: TextForm,
  options: TextOptions,
  { getPart, isParted }: Partition,
  draft: Draft,
): Promise<number> {
  const started = new Set<string>();
  const beginPart = async (part: string): Promise<string> => {
    const path = await draft.path(part);
    if (!started.has(part))
      await draft.guarded(() => writeFile(path, form.header(columns, options), { mode: 0o600 }));
    started.add(part);
    return path;
  };
  let count = 0;
  if (!isParted) await beginPart("");
  for await (const batch of batches) {
    for (const [part, rows] of Map.groupBy(batch, getPart)) {
      const path = await beginPart(part);
      // Opened for each batch: there may be more days than files that a process may hold open.
      await draft.guarded(() => appendFile(path, form.rows(rows, columns, options)));
    }
    count += batch.length;
  }
  return count;
}
