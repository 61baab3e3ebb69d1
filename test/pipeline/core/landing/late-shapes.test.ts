import { expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";

// Nothing is inferred from the first records: late members of another shape are stored unchanged.

it("late keys and types are stored, even after very many records", async () => {
  using home = newHome();
  const many = Array.from(
    { length: 60_000 },
    (_, i) =>
      `{"time":1767225600,"event_name":"job_issue","session_id":"${i}","resource_id":${i},"shade":${i}}`,
  );
  const late = [
    { time: 1767225600, session_id: "key", never_seen_before: { deep: ["x"] } },
    { time: 1767225600, session_id: "text", resource_id: "a-b", shade: "red" },
    { time: 1767225600, session_id: "object", resource_id: { b: 1 }, shade: { c: 2 } },
    { time: "2026-01-01T00:00:00Z", session_id: "uuid", id: "no-uuid", user_id: "jo" },
  ];
  expect((await home.load([...many, ...late])).err).toContain("60,004 new");
  const rows = await home.rows(
    "select session_id, resource_id, user_id, extra from events where length(session_id) < 7 and session_id > 'a' order by session_id",
  );
  expect(rows).toEqual([
    {
      session_id: "key",
      resource_id: null,
      user_id: null,
      extra: '{"never_seen_before":{"deep":["x"]}}',
    },
    { session_id: "object", resource_id: '{"b":1}', user_id: null, extra: '{"shade":{"c":2}}' },
    { session_id: "text", resource_id: "a-b", user_id: null, extra: '{"shade":"red"}' },
    { session_id: "uuid", resource_id: null, user_id: null, extra: '{"user_id":"jo"}' },
  ]);
  expect(
    await home.count(
      "select count(*) from events where cast(extra as varchar) = '{\"shade\":' || session_id || '}'",
    ),
  ).toBe(60_000);
});
