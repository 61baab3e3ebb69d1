import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fault, faultOf, warning, withhold } from "../../../../pipeline/base/notice/notice.ts";
import { readResult, writeResult } from "../../../../pipeline/base/notice/result.ts";
import { temporaryFolder } from "../../../support/load.ts";

test("a result contains the outcome, without what stays on this machine", () => {
  const { path: folder, remove } = temporaryFolder();
  const path = join(folder, "result.json");
  const id = withhold(JSON.stringify('rosa@example.com "; more'), "row");
  const words = withhold("; it says: rosa may not");
  writeResult(path, 6, [
    warning("row_missed", {
      status: "new",
      id,
      state: "refused",
      why: "the mail server refused it (550)",
    }),
    fault("window_failed", { windows: "window 2026-11-20", why: `answered 400${words}` }),
    faultOf(new Error("Binder Error: no column x")),
  ]);
  const listMessages = (level: string, code: string, text: string, about = text) => ({
    level,
    code,
    text,
    about,
  });
  expect(readResult(path)).toEqual({
    exit_code: 6,
    notices: [
      listMessages("warning", "row_missed", "new row refused: the mail server refused it (550)"),
      listMessages("error", "window_failed", "window 2026-11-20: answered 400", "answered 400"),
      listMessages("error", "statement_bad", "Binder Error: no column x"),
    ],
  });
  expect(existsSync(path)).toBe(false);
  expect(readResult(path)).toBeUndefined();
  remove();
});
