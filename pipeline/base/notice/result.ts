import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { escapeLineControls } from "../printable.ts";
import { type Notice, formatNotice, withoutWithheld } from "./notice.ts";

/** Names the file that a process is to leave its result in; for a parent that is this program, too. */
export const resultVariable = "AUDITLAKE_RESULT";

const result = z.object({
  exit_code: z.int(),
  notices: z.array(
    z.object({
      code: z.string(),
      level: z.enum(["error", "warning"]),
      /** The sentence, without what stays on this machine. */
      text: z.string(),
      /** What the notice has in common with one of another time or window. */
      about: z.string(),
    }),
  ),
});

/** How a process of this program ended. */
export type Result = z.infer<typeof result>;

// Who reads it needs what went wrong first.
const mostNotices = 100;

/** Writes the result of this process, if requested. */
export function writeResult(
  path: string | undefined,
  exitCode: number,
  notices: readonly Notice[],
): void {
  if (path === undefined) return;
  const shown = notices.slice(0, mostNotices).map((notice) => {
    const { code, level } = notice;
    const text = withoutWithheld(escapeLineControls(formatNotice(notice)));
    const about = notice.code === "window_failed" ? withoutWithheld(getReason(notice)) : text;
    return { code, level, text, about };
  });
  const content: z.input<typeof result> = { exit_code: exitCode, notices: shown };
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
}

function getReason({ facts }: Notice): string {
  return (facts as { readonly why: string }).why;
}

/** Reads the result of a process and removes it; undefined if the process was killed before. */
export function readResult(path: string): Result | undefined {
  try {
    return result.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  } finally {
    rmSync(path, { force: true });
  }
}
