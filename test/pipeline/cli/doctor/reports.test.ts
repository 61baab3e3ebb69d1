import { expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { reportFindings } from "../../../../pipeline/cli/doctor/targets.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { testWorld } from "../../../support/world.ts";
import { reports } from "../../../queries/run.ts";

it("reports are not reported as valid if none compiles", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const on = { database, file: "none", name: "a file without tables" };
  const settings = {
    home: resolveHome("none"),
    config: configSchema.parse({}),
    configFile: undefined,
    configFolder: "/nowhere",
    flags: { logLevel: "silent", progress: "none", quiet: true },
  } as const;
  const found = [];
  for await (const finding of reportFindings(reports.slice(0, 2), on, settings, testWorld()))
    found.push(finding);
  expect(found.map(({ level }) => level)).toEqual(["fail", "fail"]);
});
