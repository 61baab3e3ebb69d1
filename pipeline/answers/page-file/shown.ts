import type { Markup } from "../../base/html/markup.ts";
import type { Block } from "./page-file.ts";

/** What a block shows, and what its section makes of it. */
export type Shown = {
  readonly markup: Markup;
  /** For a chart with usual amounts: the last whole day in a sentence, and whether it is above usual. */
  readonly comparison?: { readonly text: string; readonly isAbove: boolean };
};

/** A block with what it shows. */
export type Placed = Shown & { readonly block: Block };
