import { readdirSync, readlinkSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { openWriter } from "../../../../pipeline/core/writer/open.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const open = (path: string): string[] =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });

it.skipIf(process.platform !== "linux")("a refused file is closed", async () => {
  using home = await homeWithWarehouse();
  const { warehouse } = resolveHome(home.home);
  const instance = await DuckDBInstance.create(warehouse);
  const connection = await instance.connect();
  await connection.run("insert into schema_migrations values ('999_of_tomorrow')");
  connection.closeSync();
  instance.closeSync();
  const settings = {
    home: resolveHome(home.home),
    config: configSchema.parse({}),
    configFile: undefined,
    configFolder: home.folder,
    flags: { logLevel: "silent", progress: "none", quiet: true },
  } as const;
  await expect(openWriter(settings, warehouse, testWorld())).rejects.toThrow(/newer version/);
  expect(open(warehouse)).toEqual([]);
});
