import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { readRunOutcome } from "../../../../pipeline/core/ingest/report.ts";
import type { Plan, SourceRun } from "../../../../pipeline/core/ingest/plan.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const nowMs = Date.UTC(2026, 0, 2);

// A run with so many events, of which so many have one id together.
const runs = [
  { shared: 100, brought: 100, isSaid: false },
  { shared: 101, brought: 101, isSaid: true },
  { shared: 101, brought: 10_099, isSaid: true },
  { shared: 101, brought: 10_100, isSaid: false },
];

it("events with a shared id cause a warning if they are more than a hundred and more than one of a hundred", async () => {
  using home = await homeWithWarehouse();
  await home.load([{ time: nowMs / 1000 - 3600, event_name: "sign_in", id: "first" }]);
  const source = configSchema.parse({ sources: { default: {} } }).sources["default"]!;
  await inWarehouse(home, async (connection) => {
    const run = {
      settings: { home: resolveHome(home.home) },
      source: { ...source, name: "default" },
      writer: { database: { connection } },
      world: testWorld({ now: () => nowMs }),
    } as unknown as SourceRun;
    for (const { shared, brought, isSaid } of runs) {
      const runId = `run-${shared}-${brought}`;
      await connection.run(
        `insert into event_rows
           select e.* replace (
             md5('${runId}' || i)::uuid as event_key, '${runId}' as run_id,
             '${runId}-' || greatest(i, ${shared}) as id
           )
           from event_rows as e, range(1, ${brought + 1}) as r(i) where id = 'first'`,
      );
      const plan = { runId, isScheduledRun: false } as Plan;
      const none = { failures: [], contradicted: [] };
      const { warnings } = await readRunOutcome(run, plan, none, nowMs);
      const said = warnings.filter(({ code }) => code === "ids_conflict").map(({ facts }) => facts);
      expect(said, runId).toEqual(isSaid ? [{ conflicts: shared, events: brought }] : []);
    }
  });
});
