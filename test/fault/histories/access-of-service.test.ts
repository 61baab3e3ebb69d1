import { expect, test } from "vitest";
import { listRights, type AccessSnapshot } from "../../../fixtures/access/snapshot.ts";
import { noon, play } from "../../queries/access-play.ts";
import type { Row } from "../../support/rows.ts";
import { dayMs, newRemote } from "../../support/remote.ts";

// What the service itself says of a database, by its own state.
function reaching(state: AccessSnapshot, database: string): string[] {
  const rights = listRights(state);
  const opens = ({ resource_kind, operation, object_id }: (typeof rights)[number]): boolean =>
    operation === "administrator" ||
    (resource_kind === "Databases" &&
      (object_id === database || (object_id === null && operation !== "owner_manage")));
  return rights
    .filter(({ subject_kind }) => subject_kind === "user")
    .flatMap((right) => {
      const text = (way: string, operation: string, policy: string | null): string =>
        JSON.stringify([right.subject_id, way, operation, policy]);
      if (right.by !== "member") return opens(right) ? [text(right.by, right.operation, null)] : [];
      if (right.resource_kind !== "Policies") return [];
      return rights
        .filter((held) => held.subject_kind === "policy" && held.subject_id === right.object_id)
        .filter(opens)
        .map((held) => text("policy", held.operation, right.object_id));
    })
    .sort();
}

test("the users who reach each database are those that the service reports, seed 21", async () => {
  await using remote = await newRemote(noon);
  const { states } = await play(remote, 21, 60);
  const last = states.at(-1)!;
  remote.clock.nowMs += dayMs;
  expect(await remote.ingest(["--from", "3d"])).toMatchObject({ code: 0 });
  const databases = new Set(last.state.shares.map(({ database_id }) => database_id));
  expect(databases.size).toBeGreaterThan(2);
  for (const database of databases) {
    const { code, out } = await remote.home.run(["access", "who", database, "--format", "ndjson"], {
      now: () => remote.clock.nowMs,
    });
    expect(code).toBe(0);
    const rows = out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
    const texts = rows
      .filter((row) => row["operation"] !== "account_owner" && row["reach"] !== "own databases")
      .map(({ user_id, way, operation, policy_id }) =>
        JSON.stringify([String(user_id), way, operation, policy_id]),
      );
    expect([...new Set(texts)].sort(), database).toEqual([
      ...new Set(reaching(last.state, database)),
    ]);
  }
});
