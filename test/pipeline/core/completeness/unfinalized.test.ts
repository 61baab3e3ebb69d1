import { formatNotice } from "../../../../pipeline/base/notice/notice.ts";
import { expect, it } from "vitest";
import { listUnfinalizedNotices } from "../../../../pipeline/core/completeness/warnings.ts";

const range = { windows: 2, first_start: "2026-03-01", last_end: "2026-03-03", signs: "next" };
const reasons = [
  "once",
  "differs",
  "lacking",
  "signs",
  "no_evidence",
  "forgotten",
  "beyond_retention",
];

it("only a window that a scheduled run read once, or differently, waits for the next run", () => {
  for (const reason of reasons)
    for (const is_scheduled of [true, false]) {
      const { waiting, stuck } = listUnfinalizedNotices("prod", [
        { ...range, reason, is_scheduled },
      ]);
      const isWaiting = is_scheduled && (reason === "once" || reason === "differs");
      expect([reason, is_scheduled, waiting.length, stuck.length]).toEqual([
        reason,
        is_scheduled,
        isWaiting ? 1 : 0,
        isWaiting ? 0 : 1,
      ]);
      expect([...waiting, ...stuck].map(formatNotice).join()).toMatch(
        /^(?:not verified complete: )?2 windows .*2026-03-01 to 2026/,
      );
    }
});

it("a window that no scheduled run reads again is reported with the command to run", () => {
  const formatLine = (is_scheduled: boolean): string => {
    const { waiting, stuck } = listUnfinalizedNotices("prod", [
      { ...range, reason: "differs", is_scheduled },
    ]);
    return [...waiting, ...stuck].map(formatNotice).join();
  };
  expect(formatLine(true)).toMatch(
    /two reads differ; the next run of source prod reads them again$/,
  );
  expect(formatLine(false)).toMatch(
    /run auditlake ingest --source prod --from 2026-03-01 --to 2026-03-03 --confirm$/,
  );
});

it("each sign is listed with its meaning, those of a fault together", () => {
  const facts = { ...range, signs: "error, next, truncated", reason: "signs", is_scheduled: true };
  const { stuck } = listUnfinalizedNotices("prod", [facts]);
  expect(stuck.map(formatNotice).join()).toMatch(
    /offered a next page .* \[next\]; the answers report a fault: error, truncated; run auditlake doctor .*; if the sign/,
  );
  const none = listUnfinalizedNotices("prod", [{ ...facts, signs: "" }])
    .stuck.map(formatNotice)
    .join();
  expect(none).not.toContain("report a fault");
});
