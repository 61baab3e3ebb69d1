import { expect, test } from "vitest";
import { pagingStyles } from "../../../../fixtures/service/paging.ts";
import { answerFormats } from "../../../../fixtures/service/answer.ts";
import { isPossible, startService } from "../../../../fixtures/service.ts";
import { dayMs, eventAt, hourMs, newRemote } from "../../../support/remote.ts";

const start = Date.UTC(2026, 2, 1);
const log = Array.from({ length: 30 }, (_, i) => eventAt(start - 3 * dayMs + i * 2 * hourMs));
const users = [{ id: 7, email: "jo@example.com", administrator: false }];

const combinations = pagingStyles.flatMap((paging) =>
  answerFormats
    .filter((answer) => isPossible(paging, answer))
    .map((answer) => [paging, answer] as const),
);

test("every paging style and form of answer is read completely by one run", async () => {
  await using remote = await newRemote(start);
  const size = 5;
  const options = { records: log, users, apiKey: remote.key, now: () => start, pageCap: size };
  await using services = new AsyncDisposableStack();
  const sources: Record<string, object> = {};
  for (const [paging, answer] of combinations) {
    const form = { paging, answer, usersAsArray: answer === "array" };
    const service = await startService({ ...options, ...form });
    services.defer(() => service.close());
    const audits = { paging: { style: paging, first: 1, size } };
    sources[`${paging}-${answer}`] = { base_url: service.url, audits };
  }
  const config = remote.home.write("c.json", JSON.stringify({ sources }));
  const { code, err } = await remote.home.run(["--config", config, "ingest", "--from", "3d"], {
    env: { AUDITLAKE_API_KEY: remote.key },
    now: () => start,
  });
  expect(code, err).toBe(0);
  const rows = await remote.home.rows(
    "select source, count(*)::int as events from events group by source order by source",
  );
  const names = Object.keys(sources).toSorted();
  expect(rows).toEqual(names.map((source) => ({ source, events: log.length })));
  expect(
    await remote.home.rows(
      "select source, count(*)::int as users from users group by source order by source",
    ),
  ).toEqual(names.map((source) => ({ source, users: users.length })));
});
