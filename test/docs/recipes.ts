import { readFileSync } from "node:fs";
import { projectPath } from "./pages.ts";

/** A file of a recipe, or a change of one. */
export type Block = { readonly kind: string; readonly file: string; readonly text: string };

const page = readFileSync(projectPath("CONTRIBUTING.md"), "utf8");
/** What the recipes of CONTRIBUTING.md have written and changed, in their order. */
export const blocks: Block[] = [...page.matchAll(/^```(\w+) (\S+)\n([^]*?)^```$/gm)].map(
  ([, kind, file, text]) => ({ kind: kind!, file: file!, text: text! }),
);
/** Applies a change to a text; throws if the removed text or its context does not occur exactly once. */
export function change(path: string, text: string, diff: string): string {
  const side = (sign: string): string =>
    [...diff.matchAll(/^([ +-])(.*\n)/gm)]
      .filter(([, own]) => own === " " || own === sign)
      .map(([, , line]) => line)
      .join("");
  const parts = text.split(side("-"));
  if (parts.length !== 2)
    throw new Error(`${path} has the lines of the change ${parts.length - 1} times, not once`);
  return parts.join(side("+"));
}
