import { appendFile, writeFile } from "node:fs/promises";
import type { Rows, TextForm, TextOptions } from "../../../base/rows/row.ts";
import type { Parting } from "./day.ts";
import type { Draft } from "./draft.ts";

/** Writes rows in a form of text, each to the file of its part; resolves to the number of rows. */
export async function writeText(
  { columns, batches }: Rows,
  form: TextForm,
  options: TextOptions,
  { partOf, isParted }: Parting,
  draft: Draft,
): Promise<number> {
  const begun = new Set<string>();
  const begin = async (part: string): Promise<string> => {
    const path = await draft.path(part);
    if (!begun.has(part))
      await draft.guarded(() => writeFile(path, form.header(columns, options), { mode: 0o600 }));
    begun.add(part);
    return path;
  };
  let count = 0;
  if (!isParted) await begin("");
  for await (const batch of batches) {
    for (const [part, rows] of Map.groupBy(batch, partOf)) {
      const path = await begin(part);
      // Opened for each batch: there may be more days than files that a process may hold open.
      await draft.guarded(() => appendFile(path, form.rows(rows, columns, options)));
    }
    count += batch.length;
  }
  return count;
}
