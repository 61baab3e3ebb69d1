import { join, relative, resolve } from "node:path";
import type { FileTarget } from "../../../../schemas/connectors/file.ts";
import type { Rows } from "../../../base/rows/row.ts";
import type { Destination, WithName } from "../../../work/targets/destination.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { partsByDay } from "./day.ts";
import { deliverToFile } from "./deliver.ts";
import { tryFolder } from "./try.ts";

/** A folder that results are written to. */
export const fileDestination: Destination<FileTarget> = {
  deliver: deliverToFile,
  preview,
  describe: ({ folder }) => folder,
  secrets: () => [],
  needsCredentials: () => false,
  test: tryFolder,
  paths: ["folder"],
  replaces: ({ folder, file_name: name, format }) =>
    name === undefined ? undefined : join(resolve(folder), `${name}.${format}`),
  // Under a name that stays, days without rows of this run would go on holding those of the last one.
  unfitForClass: ({ file_name: name, partition_by_day: day }) =>
    name === undefined || day === undefined
      ? undefined
      : `file_name ${name} with partition_by_day would leave rows of the last run in the folders of other days; leave one of the two out`,
  // Under a name that stays, a consumer would read the rows of the last run again.
  goesOutEmpty: (target) => target.file_name !== undefined && target.when_empty === "write",
};

async function preview(target: WithName<FileTarget>, rows: Rows): Promise<string> {
  const { isParted, partOf } = partsByDay(target.partition_by_day, rows.columns);
  const parts = new Set<string>();
  let total = 0;
  for await (const batch of rows.batches)
    for (const row of batch) {
      parts.add(partOf(row));
      total += 1;
    }
  const place = relative("", target.folder) || ".";
  const days = isParted ? ` for ${parts.size} ${parts.size === 1 ? "day" : "days"}` : "";
  return `${rowCount(total)} as ${target.format}${days} below ${place}`;
}
