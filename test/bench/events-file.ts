import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Traffic } from "../../fixtures/traffic.ts";

/** Writes events of a traffic as newline-delimited JSON, so many at most; returns how many. */
export async function writeEvents(
  traffic: Traffic,
  file: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  const out = createWriteStream(file);
  let count = 0;
  for (const event of traffic.events()) {
    if (count === limit) break;
    count += 1;
    if (!out.write(`${JSON.stringify(event.record)}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  return count;
}
