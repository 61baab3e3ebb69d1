import type { Column, Row } from "../../base/rows/row.ts";

/** The first rows of a class as they would go out. */
export type Preview = {
  readonly status: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
};
