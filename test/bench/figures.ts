import { writeFileSync } from "node:fs";
import type { Measured } from "./measure.ts";

/** A row of the table: what was measured, in its unit, and the aim where there is one. */
export type Figure = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly aim?: string;
  /** The command that measures it alone, of a figure that belongs in the table of goals. */
  readonly command?: string;
  /** By the clock, of the processor and in memory, where one process is meant. */
  readonly of?: Pick<Measured, "seconds" | "processorSeconds" | "peakMb">;
};

/** Rows as they come: each is printed at once as a line of a Markdown table. */
export type Figures = {
  readonly add: (figure: Figure) => void;
  /** A row of what one process took, in processor seconds. */
  readonly took: (what: string, of: Measured, aim?: string) => void;
  /** Prints the figures that have a command again, as the table of goals of docs/measured.md. */
  readonly printGoals: () => void;
  readonly writeTo: (file: string) => void;
};

const head = `| case | measured | aim | seconds | processor seconds | peak MB |
|---|---|---|---|---|---|`;

const goalsHead = `
| case | measured | goal | command |
|---|---|---|---|`;

/** A table that `print` gets line by line. */
export function newFigures(print: (line: string) => void): Figures {
  const all: Figure[] = [];
  const add: Figures["add"] = (figure) => {
    if (all.length === 0) print(head);
    all.push(figure);
    print(formatLine(figure));
  };
  return {
    add,
    took: (what, { seconds, processorSeconds, peakMb }, aim) =>
      add({
        what,
        value: processorSeconds,
        unit: "processor seconds",
        of: { seconds, processorSeconds, peakMb },
        ...(aim === undefined ? {} : { aim }),
      }),
    printGoals: () => {
      print(goalsHead);
      for (const { what, value, unit, aim = "", command } of all)
        if (command !== undefined)
          print(`| ${what} | ${digits(value)} ${unit} | ${aim} | \`${command}\` |`);
    },
    writeTo: (file) => writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`),
  };
}

function formatLine({ what, value, unit, aim = "", of }: Figure): string {
  const own = of && [of.seconds.toFixed(1), of.processorSeconds.toFixed(1), of.peakMb.toFixed(0)];
  const measured = unit === "processor seconds" ? "" : `${digits(value)} ${unit}`.trim();
  return `| ${[what, measured, aim, ...(own ?? ["", "", ""])].join(" | ")} |`;
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
