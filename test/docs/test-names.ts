import { readFileSync } from "node:fs";
import { projectPath } from "./pages.ts";

// A text in front of a function is the name of a test or of a group of tests. Its indentation says which group it
// belongs to, since the formatter guarantees it.
const named =
  /^( *)(?:(?:(?:it|test|describe)\b.*?|\]\)|\))\()?(["'`])((?:\\.|(?!\2).)*)\2,\s+(?:async )?\(/gm;

/** Lists the names of all tests and groups in a file, each behind those of its groups: `group > test`. */
export function testNames(file: string): string[] {
  const text = readFileSync(projectPath(file), "utf8");
  const groups: { readonly depth: number; readonly name: string }[] = [];
  return [...text.matchAll(named)].map(([whole, indent, , name]) => {
    const isWrapped = /^ *["'`]/.test(whole);
    const depth = indent!.length - (isWrapped ? 2 : 0);
    while (groups.length > 0 && groups.at(-1)!.depth >= depth) groups.pop();
    groups.push({ depth, name: name!.replaceAll(/\\(.)/g, "$1") });
    return groups.map((group) => group.name).join(" > ");
  });
}
