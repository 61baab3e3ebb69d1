import { readFileSync } from "node:fs";

/** How a statement must end; `survived` is any way, as long as nothing is changed. */
export type End = "refused" | "rejected" | "stopped" | "answered" | "survived";
export type HostileCase = {
  readonly title: string;
  readonly end: End;
  readonly sql: string;
  /** How it must end as the file of a report, where that is another way. */
  readonly asReport?: End | undefined;
  /** One of the calls that are made for each function. */
  readonly isCall?: true;
};

/** Names of real files that statements may be after. */
export type Targets = Readonly<Record<"db" | "dir" | "secret", string>>;

/** The statements of `hostile.sql`, with the names of the files put in and repetitions written out. */
export function writtenCases(targets: Targets): HostileCase[] {
  const text = readFileSync(new URL("../hostile.sql", import.meta.url), "utf8");
  const blocks = text.split(/^-- case: (.+) => (\w+)(?:, as a report (\w+))?$/m).slice(1);
  return Array.from({ length: blocks.length / 4 }, (_, i) => ({
    title: blocks[4 * i]!,
    end: blocks[4 * i + 1] as End,
    asReport: blocks[4 * i + 2] as End | undefined,
    sql: expanded(blocks[4 * i + 3]!.slice(1, -1)).replace(
      /\{(db|dir|secret)\}/g,
      (_all, name: keyof Targets) => targets[name],
    ),
  }));
}

function expanded(sql: string): string {
  return sql.replace(/\{repeat:(\d+):([^}]*)\}/g, (_, n: string, text: string) => text.repeat(+n));
}

/**
 * The same statement as the file of a report. Storing its rows may take longer than returning them, or wrap a SELECT.
 * Then a statement that is otherwise answered may end in any way.
 */
export function reportCase(hostile: HostileCase, isStreamed: boolean): HostileCase {
  const end = hostile.asReport ?? hostile.end;
  const isOpen = !isStreamed && (end === "answered" || end === "stopped");
  return { ...hostile, end: isOpen ? "survived" : end };
}
