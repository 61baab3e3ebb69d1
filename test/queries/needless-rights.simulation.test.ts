import { expect, test } from "vitest";
import { formatLines, homeWithWarehouse } from "../support/home.ts";
import { dayMs } from "../support/remote.ts";

const start = Date.UTC(2026, 2, 2, 12);

test("a user who is missing in the directory keeps unrevoked rights, from the reading without them", async () => {
  using home = await homeWithWarehouse();
  const attach = (id: number): object => ({
    id: `attach-${id}`,
    time: start / 1000,
    event_name: "permission_policy_attach_user",
    resource_id: "7",
    resource_name: "Analysts",
    affected_user_id: id,
    user_email: "root@example.com",
  });
  const log = home.write("log.ndjson", formatLines([20, 21, 22].map(attach)));
  const [ann, bob] = [
    { id: 20, email: "Ann@example.com" },
    { id: 21, email: "bob@example.com" },
  ];
  for (const [day, users] of [[ann, bob], [bob], [ann, bob]].entries()) {
    const list = home.write(`users-${day}.json`, JSON.stringify({ users }));
    const now = (): number => start + (day + 1) * dayMs;
    const done = await home.run(["import", log, "--users", list], { now });
    expect(done).toMatchObject({ code: 0 });
  }
  const at = async (days: number): Promise<unknown[]> => {
    const on = new Date(start + days * dayMs).toISOString();
    const argv = ["report", "run", "departed_rights", "--param", `on=${on}`, "--format", "ndjson"];
    const { out } = await home.run(argv);
    return out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ holder, object, left_at, granted_by }) => [holder, object, left_at, granted_by]);
  };
  const never = ["user 22", "Analysts", null, "root@example.com"];
  expect(await at(0.5)).toEqual([never]);
  const left = "2026-03-04T12:00:00Z";
  expect(await at(2.5)).toEqual([["ann@example.com", "Analysts", left, "root@example.com"], never]);
  expect(await at(3.5)).toEqual([never]);
});
