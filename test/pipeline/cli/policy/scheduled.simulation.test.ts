import { expect, test } from "vitest";
import { startDestination } from "../../../../fixtures/destinations/destination.ts";
import { newDesk } from "./desk.ts";

test("a schedule takes snapshots, and reports their drift until the log shows the change, too", async () => {
  await using desk = await newDesk();
  await using hook = await startDestination(() => ({ status: 204 }));
  const { remote, databases } = desk;
  // A job is a process of its own, and goes by the clock of this machine.
  remote.clock.nowMs = Date.now() - 12 * 3_600_000;
  const set = (id: string | undefined): never =>
    ({ Databases: [{ operation: "query", ids: id }] }) as never;
  const id = await desk.newPolicy(set(databases[0]));
  const report = { names: ["permission_drift"], out: "drift.csv", fail_on_rows: true };
  const config = remote.home.write(
    "auditlake.json",
    JSON.stringify({
      targets: { soc: { type: "webhook", url: hook.url, secret: "SECRET", records_per_batch: 1 } },
      schedule: {
        notify: "soc",
        jobs: {
          policies: { cron: "@daily", policy_snapshot: {} },
          drift: { cron: "none", report },
        },
      },
    }),
  );
  const runJob = async (job: string): Promise<number> => {
    remote.clock.nowMs += 3_600_000;
    const now = (): number => remote.clock.nowMs;
    const argv = ["--config", config, "schedule", "run", "--scheduled", job];
    return (await remote.home.run(argv, { env: remote.env(), now })).code;
  };
  expect(await remote.ingest(["--from", "1d"])).toMatchObject({ code: 0 });
  expect(await runJob("policies")).toBe(0);
  expect((await desk.history()).length).toBeGreaterThan(1);
  expect(await runJob("drift")).toBe(0);
  expect(hook.calls).toEqual([]);
  // Another user changes the set, and the snapshot has it before the log is read again.
  await desk.setElsewhere(id, set(databases[1]));
  expect(await runJob("policies")).toBe(0);
  expect(await runJob("drift")).toBe(3);
  const sent = JSON.stringify(hook.calls);
  expect(hook.calls).toHaveLength(1);
  expect(sent).toContain("permission_drift found 2 rows");
  expect(await remote.ingest()).toMatchObject({ code: 0 });
  expect(await runJob("drift")).toBe(0);
  expect(hook.calls).toHaveLength(2);
});
