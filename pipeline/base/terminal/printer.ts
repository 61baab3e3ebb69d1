import type { World } from "../world.ts";
import { printable, printableLines } from "../printable.ts";

/** Prints each line on standard error as one line that a terminal never obeys, also under `--quiet`. */
export function printer(world: World): (line: string) => void {
  return (line) => void world.stderr.write(`${printable(line)}\n`);
}

/** The same for text of several lines, which stay lines. */
export function linesPrinter(world: World): (text: string) => void {
  return (text) => void world.stderr.write(`${printableLines(text)}\n`);
}

/** Prints lines on standard error as they are, nothing where a flag asks for quiet. */
export function plainPrinter(
  world: World,
  { quiet }: { readonly quiet?: true },
): (line: string) => void {
  return quiet === true ? () => undefined : (line) => void world.stderr.write(`${line}\n`);
}
