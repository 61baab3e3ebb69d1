import type { Markup } from "../../base/html/markup.ts";
import type { Block } from "./page-file.ts";

/** What a block shows, and what its section makes of it. */
export type Shown = {
  readonly markup: Markup;
  /** Of a chart with what is usual: the last whole day beside it, in a sentence, and whether it is above it. */
  readonly comparison?: { readonly text: string; readonly isAbove: boolean };
};

/** A block with what it shows. */
export type Placed = Shown & { readonly block: Block };
