import { existsSync, readFileSync } from "node:fs";
import { writeDurably } from "../../base/home/durable.ts";
import type { Home } from "../../base/home/layout.ts";
import { numberFile } from "../../core/store/activation/memory-files.ts";

/** The highest number that a delivery of an activation has had, 0 before the first; to forget all else leaves it. */
export function highestNumber(home: Home, name: string): number {
  const path = numberFile(home, name);
  const number = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

/**
 * The number of a delivery after that of number `last`. What goes out is named by it, and a receiver drops a name that
 * it knows. So only a delivery of which nothing arrived gives its number on. It is on the disk when it resolves, beside
 * the memory, which may be forgotten or moved away.
 */
export async function takeNumber(home: Home, name: string, last: number): Promise<number> {
  const highest = highestNumber(home, name);
  const isGivenOn = last > 0 && highest === last + 1;
  const number = isGivenOn ? highest : Math.max(last, highest) + 1;
  await writeDurably(numberFile(home, name), Buffer.from(`${number}\n`));
  return number;
}
