import type { OutputFlags } from "../../answers/report/output.ts";

/** Flags of `sql`. */
export type Flags = OutputFlags & {
  readonly file?: string;
  readonly timeout: number;
  readonly maxRows: number;
  readonly explain?: true;
  readonly engine?: string;
};
