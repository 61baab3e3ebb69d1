import type { Figure, Measured } from "./figure.ts";

/** A figure with its outcome. */
export type Row = Measured & {
  readonly figure: Figure;
  /** Units asked for. */
  readonly asked: number;
  readonly seconds: number;
};

/** The head of the table of figures, in Markdown. */
export const tableHead = "| test | figure asked for | measured | seconds |\n|---|---|---|---|";

/** A figure's row of the table, in Markdown. */
export function tableLine({ figure, asked, done, failures, note, seconds }: Row): string {
  const wanted = `${number(asked)} ${figure.unit}: ${figure.asked}`;
  const verdict = failures.length === 0 ? "all hold" : `**${number(failures.length)} failed**`;
  const measured = `${number(done)} ${figure.unit}, ${verdict}${note === undefined ? "" : `; ${note}`}`;
  return `| ${figure.name} | ${wanted} | ${measured} | ${number(Math.round(seconds))} |`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
