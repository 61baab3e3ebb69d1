import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { upgradeStore } from "../../../pipeline/core/rebuild/rebuild-store.ts";
import { withLock } from "../../../pipeline/core/session/write.ts";
import type { Settings } from "../../../pipeline/base/home/settings.ts";
import { configSchema } from "../../../schemas/config.ts";
import { testWorld } from "../../support/world.ts";
import { readEvents, oldHome } from "./homes.ts";

// An upgrade that cannot come to its end changes nothing.

function readSettings(home: string): Settings {
  return {
    home: resolveHome(home),
    config: configSchema.parse({}),
    flags: { quiet: true, progress: "none", logLevel: "silent" },
  } as unknown as Settings;
}

it("an upgrade is refused if there is too little disk space", async () => {
  using homes = oldHome("36f09f0");
  const settings = readSettings(homes.old.home);
  const before = readFileSync(settings.home.warehouse);
  const world = testWorld();
  const upgrade = withLock(settings, world, "publish", () =>
    upgradeStore(settings, world, () => 14_000_000),
  );
  await expect(upgrade).rejects.toThrow(
    /was created by an earlier auditlake and must be rebuilt, which needs about 15 MB in .*, where 14 MB are free; nothing was changed; free disk space and run it again$/,
  );
  expect(readFileSync(settings.home.warehouse).equals(before)).toBe(true);
});

it("an upgrade that is interrupted between two steps is finished by the next run", async () => {
  using homes = oldHome("6992e1b");
  const { old } = homes;
  const { warehouse } = resolveHome(old.home);
  const before = readFileSync(warehouse);
  const stop = new AbortController();
  stop.abort();
  const { code, err } = await old.run(["publish"], { signal: stop.signal });
  expect([code, err]).toEqual([
    130,
    expect.stringContaining("interrupted after 0 steps; nothing was changed; run it again"),
  ]);
  expect(readFileSync(warehouse).equals(before)).toBe(true);
  expect(readdirSync(old.home).filter((name) => name.includes("version-1"))).toEqual([]);
  expect((await old.run(["publish"])).code).toBe(0);
  expect(await readEvents(old)).toHaveLength(865);
});
