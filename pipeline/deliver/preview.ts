import { relative } from "node:path";
import { savedMarker } from "../../schemas/connectors/saved.ts";
import type { FileTarget } from "../../schemas/connectors/file.ts";
import type { Messaging } from "../../schemas/connectors/messaging.ts";
import type { Rows } from "../rows/row.ts";
import type { Settled, SettledTarget } from "./connector.ts";
import { rowCount } from "./error.ts";
import { partsByDay } from "./file/day.ts";
import { checkColumns } from "./marketing-cloud/layout.ts";
import { readRecipients } from "./messaging/recipients.ts";
import { tellSkipped } from "./messaging/tell.ts";

/**
 * What a delivery would do, in words, with all that can be checked without asking the destination; sends nothing.
 * Throws what the delivery would throw; `say` hears of rows that would be left out.
 */
export async function preview(
  target: SettledTarget,
  rows: Rows,
  say: (line: string) => void,
): Promise<string> {
  switch (target.type) {
    case "marketing_cloud_v2": {
      checkColumns(target, rows.columns);
      const insertion = `${target.data_operation}, ${target.async ? "asynchronous" : "synchronous"}`;
      return `${rowCount(await count(rows))} to data extension ${target.de_name} (${insertion})`;
    }
    case "messaging_business":
      return messages(target, rows, say);
    case "file":
      return files(target, rows);
    case "webhook": {
      const total = await count(rows);
      const requests = Math.ceil(total / target.records_per_batch);
      return `${rowCount(total)} in ${requests} ${requests === 1 ? "request" : "requests"} to ${originOf(target.url)}`;
    }
    case "email":
      return `${rowCount(await count(rows))} in a message to ${target.to.join(", ")}`;
  }
}

function originOf(url: string): string {
  return url === savedMarker ? "a stored address" : new URL(url).origin;
}

async function messages(
  target: Messaging,
  rows: Rows,
  say: (line: string) => void,
): Promise<string> {
  const { all, skipped } = await readRecipients(target, rows);
  tellSkipped(skipped, say);
  const what = target.send_mode === "template" ? `template ${target.template_name}` : "a text";
  return `${what} to ${all.length} ${all.length === 1 ? "number" : "numbers"}`;
}

async function files(target: Settled<FileTarget>, rows: Rows): Promise<string> {
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

async function count({ batches }: Rows): Promise<number> {
  let total = 0;
  for await (const batch of batches) total += batch.length;
  return total;
}
