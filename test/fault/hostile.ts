import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/** The child's note: how long after the limit it stopped, and how many of its calls were really tried. */
type Note = Readonly<Record<"longestMs" | "calls" | "bound", number>>;

/** Statements that try to harm the published file, the machine or the process that asks. */
export const hostileFigure: Figure = {
  name: "sql",
  unit: "hostile statements",
  asked: "no file changed, parent alive, stopped within limit + 3 s",
  // The short form tries a seventh of the statements of hostile.sql. The long form tries all, and two calls of each
  // function of the database, and then all of them again as files of reports.
  long: 4_778,
  short: 33,
  run: async (count, seed, report) => {
    const parts = await inChildren(
      new URL("hostile/work.ts", import.meta.url),
      count,
      seed,
      report,
    );
    const notes = parts.map((part) => JSON.parse(part.note ?? "") as Note);
    const longestMs = Math.max(...notes.map((note) => note.longestMs));
    const [calls, bound] = [computeSum(notes, "calls"), computeSum(notes, "bound")];
    const boundText = calls === 0 ? "" : `, ${inEnglish(bound)} of ${inEnglish(calls)} calls bound`;
    return {
      done: parts.reduce((sum, part) => sum + part.done, 0),
      failures: parts.flatMap((part) => part.failures),
      note: `stopped at most ${inEnglish(longestMs)} ms after the limit${boundText}`,
    };
  },
};

function computeSum(notes: readonly Note[], key: keyof Note): number {
  return notes.reduce((sum, note) => sum + note[key], 0);
}

function inEnglish(count: number): string {
  return count.toLocaleString("en-US");
}
