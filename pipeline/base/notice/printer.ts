import { type Notice, notify, formatNotice } from "./notice.ts";
import { escapeControls, escapeLineControls } from "../printable.ts";
import type { World } from "../world.ts";

export type Line = string | Notice;
export type Print = (line: Line) => void;

/** Prints each line on standard error as one line that a terminal never obeys, also under `--quiet`. */
export function printer(world: World): Print {
  return (line) =>
    typeof line === "string" ? write(world, escapeControls(line)) : notify(world, line);
}

/** Builds a printer for text of several lines; under `--quiet` it prints only notices. */
export function plainPrinter(world: World, { quiet }: { readonly quiet?: true }): Print {
  return (line) => {
    if (typeof line !== "string") notify(world, line);
    else if (quiet !== true) write(world, escapeLineControls(line));
  };
}

function write({ stderr }: World, text: string): void {
  stderr.write(`${text}\n`);
}

export function formatLine(line: Line): string {
  return typeof line === "string" ? line : `${line.level}: ${formatNotice(line)}`;
}

/** A line with each of its texts changed, those among the facts of a notice, too. */
export function mapTexts(line: Line, change: (text: string) => string): Line {
  if (typeof line === "string") return change(line);
  const facts = JSON.stringify(line.facts, (_, value: unknown) =>
    typeof value === "string" ? change(value) : value,
  );
  return { ...line, facts: JSON.parse(facts) as Notice["facts"] };
}
