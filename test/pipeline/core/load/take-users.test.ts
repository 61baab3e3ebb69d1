import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { listUsers } from "../../../../pipeline/core/landing/documents.ts";
import { takeUsers } from "../../../../pipeline/core/load/take-users.ts";
import { fromTimestamp } from "../../../../pipeline/base/time/text.ts";
import { listLastUserReads } from "../../../../pipeline/core/store/user-readings.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

const nowMs = Date.UTC(2026, 2, 1, 4);

it("each user list is stored after the previous one, with any clock", async () => {
  using home = await homeWithWarehouse();
  const { landing } = resolveHome(home.home);
  const clocks = [nowMs, nowMs - 3_600_000, nowMs, nowMs + 3_600_000];
  await inWarehouse(home, async (connection) => {
    const stored: number[] = [];
    for (const [i, clockMs] of clocks.entries()) {
      const users = [{ id: 7n, email: `jo${i}@example.com` }];
      await takeUsers(landing, connection, "default", { users, against: [] }, clockMs);
      stored.push(fromTimestamp((await listLastUserReads(connection)).get("default")!));
    }
    expect(stored).toEqual([nowMs, nowMs + 1, nowMs + 2, nowMs + 3_600_000]);
    const { lists } = listUsers(landing);
    expect(lists.map(({ readAt }) => fromTimestamp(readAt))).toEqual(stored);
    expect(lists.map(({ users }) => users[0]!.email)).toEqual(
      clocks.map((_, i) => `jo${i}@example.com`),
    );
  });
});
