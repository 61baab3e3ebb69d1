import { readFileSync } from "node:fs";

/** How a statement of the corpus must end. */
export type End = "refused" | "rejected" | "stopped" | "answered" | "survived";
export type HostileCase = { readonly title: string; readonly end: End; readonly sql: string };

/** The statements of `hostile.sql`, with the names of real files put in and repetitions written out. */
export function hostileCases(
  files: Readonly<Record<"db" | "dir" | "secret", string>>,
): HostileCase[] {
  const text = readFileSync(new URL("hostile.sql", import.meta.url), "utf8");
  const blocks = text.split(/^-- case: (.+) => (\w+)$/m).slice(1);
  return Array.from({ length: blocks.length / 3 }, (_, i) => ({
    title: blocks[3 * i]!,
    end: blocks[3 * i + 1] as End,
    sql: expanded(blocks[3 * i + 2]!.slice(1, -1)).replace(
      /\{(db|dir|secret)\}/g,
      (_all, name: keyof typeof files) => files[name],
    ),
  }));
}

function expanded(sql: string): string {
  return sql.replace(/\{repeat:(\d+):([^}]*)\}/g, (_, n: string, text: string) => text.repeat(+n));
}
