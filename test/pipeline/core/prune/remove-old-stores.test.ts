import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { lockState } from "../../../../pipeline/base/home/lock.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { removeOldStores } from "../../../../pipeline/core/prune/prune-reads.ts";
import { newHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

it("old stores are removed under the lock, whose holder is named", async () => {
  using home = newHome();
  const path = home.write("home/old.duckdb", "as it was");
  const settings = {
    home: resolveHome(home.home),
    config: configSchema.parse({}),
    flags: {},
  } as unknown as Settings;
  const held: unknown[] = [];
  const store = {
    get path(): string {
      held.push(lockState(settings.home.lock));
      return path;
    },
  };
  await removeOldStores(settings, [store as never], testWorld());
  expect(held).toMatchObject([{ state: "held", by: { command: "prune" } }]);
  expect(existsSync(path)).toBe(false);
  expect(lockState(settings.home.lock).state).toBe("free");
});

it("removing an old store succeeds if another user has removed it meanwhile", async () => {
  using home = newHome();
  const path = home.write("home/old.duckdb", "as it was");
  const settings = { home: resolveHome(home.home), config: configSchema.parse({}), flags: {} };
  const stores = [{ path: `${path}-gone` }, { path }] as never;
  await removeOldStores(settings as unknown as Settings, stores, testWorld());
  expect(existsSync(path)).toBe(false);
});
