import type { Markup } from "../../base/html/markup.ts";
import type { ChartForm } from "../../base/report/chart-form.ts";
import type { Report } from "../../base/report/find.ts";
import type { GivenValues } from "../../base/report/params.ts";

export const blockKinds = ["status", "findings", "tiles", "chart", "table", "folded"] as const;
export type BlockKind = (typeof blockKinds)[number];

/** Content of a collapsed block other than the rows of a report. */
export const foldedParts = ["checked", "pipeline"] as const;

/** With what tiles compare a day or a week. */
export const comparisons = ["weekday", "weeks"] as const;

/** A report that a block shows, with the parameters that the block gives. */
export type Asked = { readonly report: Report; readonly given: GivenValues };

/** A block of a page: its kind and settings. */
export type Block = {
  readonly kind: BlockKind;
  readonly line: number;
  readonly title?: string;
  readonly asked?: Asked;
  readonly chart?: ChartForm;
  /** The most rows of a table, or findings of a list. */
  readonly rows?: number;
  readonly compare?: (typeof comparisons)[number];
  readonly show?: (typeof foldedParts)[number];
};

/** A heading and its content: text and blocks in order. The first section may have no heading. */
export type Section = {
  readonly heading: string | undefined;
  readonly parts: readonly (Block | Markup)[];
};

export type PageFile = {
  readonly name: string;
  readonly file: string;
  readonly title: string;
  readonly isBuiltIn: boolean;
  readonly sections: readonly Section[];
};

export function isBlock(part: Block | Markup): part is Block {
  return "kind" in part;
}
