import { readFileSync } from "node:fs";

/** How a statement must end; `survived` is any way: what counts is that nothing is changed. */
export type End = "refused" | "rejected" | "stopped" | "answered" | "survived";
export type HostileCase = {
  readonly title: string;
  readonly end: End;
  readonly sql: string;
  /** One of the calls that are made for each function. */
  readonly isCall?: true;
};

/** Names of real files that statements may be after. */
export type Targets = Readonly<Record<"db" | "dir" | "secret", string>>;

/** The statements of `hostile.sql`, with the names of the files put in and repetitions written out. */
export function writtenCases(targets: Targets): HostileCase[] {
  const text = readFileSync(new URL("../hostile.sql", import.meta.url), "utf8");
  const blocks = text.split(/^-- case: (.+) => (\w+)$/m).slice(1);
  return Array.from({ length: blocks.length / 3 }, (_, i) => ({
    title: blocks[3 * i]!,
    end: blocks[3 * i + 1] as End,
    sql: expanded(blocks[3 * i + 2]!.slice(1, -1)).replace(
      /\{(db|dir|secret)\}/g,
      (_all, name: keyof Targets) => targets[name],
    ),
  }));
}

function expanded(sql: string): string {
  return sql.replace(/\{repeat:(\d+):([^}]*)\}/g, (_, n: string, text: string) => text.repeat(+n));
}
