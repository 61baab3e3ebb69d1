import { join } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import type { Settings } from "../../../base/home/settings.ts";
import { findReview, type Review } from "./kept-decisions.ts";
import { readSheet, type SheetRow } from "./sheet.ts";
import { filesIn } from "../files-in.ts";

/** The rows of all files of a folder, by name; throws UsageError where it holds none or cannot be read. */
export function readSheets(folder: string): SheetRow[] {
  const files = filesIn(folder, /\.csv$/i, "no .csv file; expected those of access review export");
  return files.flatMap((file) => readSheet(join(folder, file)));
}

/** The review that the rows are of; throws UsageError where the home has exported none of its id. */
export function reviewOf(rows: readonly SheetRow[], folder: string, { home }: Settings): Review {
  const id = rows[0]?.cells.get("review");
  if (id === undefined)
    throw new UsageError(`the files of ${folder} hold no row; nothing to apply`);
  const review = findReview(home, id);
  if (review === undefined)
    throw new UsageError(
      `${rows[0]!.file}: review ${JSON.stringify(id)} is none that was exported from the home ${home.root}; apply it there`,
    );
  return review;
}
