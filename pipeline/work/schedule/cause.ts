import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

/** Listens to what a program says and keeps what it says went wrong. */
export type Listener = {
  readonly hear: (part: Buffer) => void;
  /** The first line behind `error:`, else the first behind `warning:`. */
  readonly cause: () => string | undefined;
};

// A line without an end is no line that the program meant.
const longestLine = 64 * 1024;

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
// Ids of an activation, as its messages have them.
const rowId = new RegExp(`^(new|updated|deleted|unchanged) ${quoted} `);
const sampleIds = new RegExp(`, such as ${quoted}(?: and ${quoted})*`);

// What a service says itself is for who stands at the terminal, and so is what stands in rows. It may name people, and
// a notice leaves the house.
function ourOwn(text: string): string {
  return text
    .replace(/; it says: .*$/, "")
    .replace(rowId, "$1 row ")
    .replace(sampleIds, "")
    .trim();
}

/** A listener for the standard error of one of our own commands. */
export function newListener(): Listener {
  const decoder = new StringDecoder("utf8");
  const first: { error?: string; warning?: string } = {};
  let rest = "";
  const take = (line: string): void => {
    const found = /^(error|warning): (.*)/.exec(stripVTControlCharacters(line));
    if (found !== null) first[found[1] as "error" | "warning"] ??= ourOwn(found[2]!);
  };
  return {
    hear: (part) => {
      const lines = (rest + decoder.write(part)).split(/\r?\n|\r/);
      rest = lines.pop()!.slice(0, longestLine);
      for (const line of lines) take(line);
    },
    cause: () => {
      take(rest);
      return first.error ?? first.warning;
    },
  };
}
