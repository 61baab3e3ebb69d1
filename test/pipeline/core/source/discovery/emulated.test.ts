import { expect, it } from "vitest";
import { toLoggedEvent, type AuditRecord } from "../../../../../fixtures/record.ts";
import { isPossible, startService } from "../../../../../fixtures/service.ts";
import { answerFormats } from "../../../../../fixtures/service/answer.ts";
import { pagingStyles } from "../../../../../fixtures/service/paging.ts";
import { testKey } from "../../../../support/key.ts";
import { readFindings } from "./found.ts";

// The emulated service has one parameter for its position in any style: a page number and an offset look alike.

const nowMs = Date.UTC(2026, 2, 5);
const records = Array.from({ length: 2400 }, (_, i) => {
  const time = nowMs / 1000 - 86_400 + i * 30;
  return toLoggedEvent({ time, event_name: "job_kill", id: `id-${i}` } as AuditRecord, 0);
});

const kinds = pagingStyles.flatMap((paging) =>
  answerFormats
    .filter((answer) => isPossible(paging, answer))
    .map((answer) => ({ paging, answer })),
);

it.each(kinds)("the emulated service is discovered in $paging style with $answer", async (kind) => {
  const service = await startService({
    records,
    users: [],
    apiKey: testKey,
    now: () => nowMs,
    ...kind,
  });
  try {
    const found = await readFindings(service.url, {});
    expect(found.audits?.paging.style, found.text).toBe(kind.paging);
    expect(found.requests).toBeLessThanOrEqual(20);
  } finally {
    await service.close();
  }
});
