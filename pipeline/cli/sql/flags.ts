import type { World } from "../../base/world.ts";
import { notify, warning } from "../../base/notice/notice.ts";
import { exitCode } from "../../base/errors.ts";
import type { OutputFlags } from "../../answers/report/output.ts";

/** Warns that the answer was cut off, which is done in part. */
export function warnOfCut(limit: string, world: World): void {
  const text = `cut off after ${limit}; there is more, ask for fewer rows or columns`;
  notify(world, warning("text", { text }), exitCode.partial);
}

/** Flags of `sql`. */
export type Flags = OutputFlags & {
  readonly file?: string;
  readonly timeout: number;
  readonly maxRows: number;
  readonly explain?: true;
  readonly engine?: string;
};
