import type { World } from "../world.ts";
import { printable, printableJson, printableLines } from "../printable.ts";

const levels = ["error", "warning"] as const;

// A line that begins with its level is a notice of free text.
function write(world: World, text: string): void {
  const level = levels.find((each) => text.startsWith(`${each}: `));
  if (level !== undefined)
    world.noticed?.({ code: "text", level, facts: { text: text.slice(level.length + 2) } });
  world.stderr.write(`${text}\n`);
}

/** Prints each line on standard error as one line that a terminal never obeys, also under `--quiet`. */
export function printer(world: World): (line: string) => void {
  return (line) => write(world, printable(line));
}

/** The same for text of several lines, which stay lines. */
export function linesPrinter(world: World): (text: string) => void {
  return (text) => write(world, printableLines(text));
}

/** Prints lines on standard error as they are, nothing where a flag asks for quiet. */
export function plainPrinter(
  world: World,
  { quiet }: { readonly quiet?: true },
): (line: string) => void {
  return quiet === true ? () => undefined : (line) => write(world, line);
}

/** Prints lines as `plainPrinter` does, and warnings also under `quiet`; text of several lines stays lines. */
export function reportPrinter(
  world: World,
  flags: { readonly quiet?: true },
): (text: string) => void {
  const [always, print] = [linesPrinter(world), plainPrinter(world, flags)];
  return (text) => (text.startsWith("warning: ") ? always : print)(printableLines(text));
}

/** A value as the JSON document that a verb prints under `--json`: indented, safe to look at in a terminal. */
export function jsonDocument(value: unknown): string {
  return `${printableJson(JSON.stringify(value, null, 2))}\n`;
}
