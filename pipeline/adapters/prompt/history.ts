import { existsSync, readFileSync } from "node:fs";
import { writeDurably } from "../../base/home/durable.ts";

/** How many lines are kept. */
export const kept = 1000;

/** The lines of earlier prompts, the newest first; what cannot be read is none. */
export function readHistory(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line !== "").toReversed();
  } catch {
    return [];
  }
}

/** Keeps the newest lines for the next prompt, for their owner alone; a home that cannot be written to keeps none. */
export async function writeHistory(path: string, lines: readonly string[]): Promise<void> {
  const text = lines.slice(0, kept).toReversed().join("\n");
  try {
    await writeDurably(path, Buffer.from(`${text}\n`));
  } catch {
    // Others may read the home of somebody else.
  }
}
