import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { withWriter } from "../../../../pipeline/core/session/write.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

// A delivery is visible to readers at once, or once the holder of the lock has ended, without a further load.
const records = [{ id: "a", time: 1_763_600_000, event_name: "job_kill", user_id: 1 }];

async function delivering(): Promise<{ home: TestHome; file: string; settings: Settings }> {
  const home = await homeWithWarehouse();
  expect((await home.load(records)).code).toBe(0);
  const activation = {
    activation_actions_table: "events",
    id_key: "event_key",
    result_connection_name: "none",
    activation_mappings: [
      { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
    ],
    result_connection_settings: { type: "file", folder: "out" },
  };
  const targets = { lake: { type: "file", folder: "out" } };
  const given = { targets, activations: { new_events: activation } };
  const file = home.write("auditlake.json", JSON.stringify(given));
  const flags = { logLevel: "error", progress: "none", quiet: true } as const;
  const place = { home: resolveHome(home.home), configFile: file, configFolder: home.folder };
  return { home, file, settings: { ...place, config: configSchema.parse(given), flags } };
}

const runs = (home: TestHome) =>
  home.rows("select verb, name from delivery_runs order by started_at, run_id");

test("records that were delivered while another run has the lock are loaded by that run", async () => {
  const { home, file, settings } = await delivering();
  using _home = home;
  await withWriter(settings, testWorld(), "ingest", async () => {
    const exported = await home.run([
      "--config",
      file,
      "export",
      "--table",
      "users",
      "--to",
      "lake",
    ]);
    const activated = await home.run(["--config", file, "activate", "new_events"]);
    expect([exported.code, activated.code]).toEqual([0, 0]);
    // Nothing to warn of: it comes by itself.
    expect(exported.err + activated.err).not.toMatch(/warning/);
    expect(await runs(home)).toEqual([]);
  });
  expect(await runs(home)).toEqual([
    { verb: "export", name: "users" },
    { verb: "activate", name: "new_events" },
  ]);
  expect(await home.rows("select activation, accepted from activation_runs")).toEqual([
    { activation: "new_events", accepted: "1" },
  ]);
});

test("records that arrive during a publication are loaded before the lock is released", async () => {
  const { home, file, settings } = await delivering();
  using _home = home;
  expect((await home.run(["--config", file, "activate", "new_events"])).code).toBe(0);
  const [first] = await home.rows("select * from delivery_runs");
  const path = join(home.home, "deliveries/runs.ndjson");
  let isClosing = false;
  const world = testWorld();
  const { env } = world;
  // The time limit for the texts of queries is asked for right behind the bringing.
  Object.defineProperty(world, "env", {
    get: () => {
      if (isClosing) appendFileSync(path, `${JSON.stringify({ ...first, run_id: "late" })}\n`);
      isClosing = false;
      return env;
    },
  });
  const work = (): Promise<void> => {
    isClosing = true;
    return Promise.resolve();
  };
  await withWriter(settings, world, "ingest", work, "grown");
  expect(isClosing).toBe(false);
  expect(await home.rows("select run_id from delivery_runs where run_id = 'late'")).toHaveLength(1);
});

test("a run that finds its own records being loaded waits, and loads the rest", async () => {
  const { home, file } = await delivering();
  using _home = home;
  const held = takeLock(resolveHome(home.home).lock, "activate", Date.now());
  let waits = 0;
  const sleep = (): Promise<void> => {
    if ((waits += 1) === 2) held[Symbol.dispose]();
    return Promise.resolve();
  };
  const argv = ["--config", file, "export", "--table", "users", "--to", "lake"];
  expect((await home.run(argv, { sleep })).code).toBe(0);
  expect([waits, await runs(home)]).toEqual([2, [{ verb: "export", name: "users" }]]);
});

test("a run without new records publishes nothing", async () => {
  const { home, file, settings } = await delivering();
  using _home = home;
  expect((await home.run(["--config", file, "activate", "new_events"])).code).toBe(0);
  const before = statSync(join(home.home, "audit.duckdb"));
  await withWriter(settings, testWorld(), "ingest", () => Promise.resolve());
  expect(statSync(join(home.home, "audit.duckdb")).ino).toBe(before.ino);
});
