import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { chooseSource, type Settings } from "../../../../pipeline/base/home/settings.ts";
import { landFile, type LandedFile } from "../../../../pipeline/core/import/land-file.ts";
import { loadFiles, newLanding } from "../../../../pipeline/core/import/load-files.ts";
import { PageDamage } from "../../../../pipeline/core/landing/store.ts";
import { listFilesBelow } from "../../../../pipeline/core/landing/sweep.ts";
import { openWriter } from "../../../../pipeline/core/writer/open.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { formatLines, homeWithWarehouse } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const time = 1_767_225_600;
const format = (id: string): string => formatLines([{ time, event_name: "job_kill", id }]);
const cutOff = `[{"time": ${time}, "event_name": "job_ki`;
// Its page is staged before its end shows that none of its records has a name.
const nameless = formatLines([{ time, id: "x" }]);
const files = [format("a"), cutOff, format("b"), nameless, format("c")];

/**
 * Imports files, two of them refused, while the disk loses what was stored of them; returns how many records each of the
 * others gave. Only the first `ahead` files are staged as they are stored.
 */
async function importWhileDiskFails(ahead: number): Promise<readonly number[]> {
  const own = await homeWithWarehouse();
  onTestFinished(() => own[Symbol.dispose]());
  const world = testWorld();
  const settings: Settings = {
    home: resolveHome(own.home),
    config: configSchema.parse({}),
    configFile: undefined,
    configFolder: own.folder,
    flags: { logLevel: "silent", quiet: true, progress: "none" },
  };
  const { landing } = settings.home;
  const source = chooseSource(settings, world);
  const writer = await openWriter(settings, settings.home.warehouse, world);
  await using _database = writer.database;
  const importing = { settings, source, writer, world };
  const to = newLanding({}, importing);
  const landed: LandedFile[] = [];
  for (const [i, text] of files.entries()) {
    if (i === ahead) to.ahead.end();
    await landFile(own.write(`${i}.json`, text), to, () => undefined).then(
      (one) => landed.push(one),
      () => undefined,
    );
  }
  for (const page of listFilesBelow(`${landing}/pages`)) writeFileSync(page, "damaged");
  const { counts } = await loadFiles(landed, to, importing);
  return counts.map(({ inserted }) => inserted);
}

it("files that are staged as they are stored are loaded without reading them back", async () => {
  expect(await importWhileDiskFails(files.length)).toEqual([1, 1, 1]);
});

it.each([0, 1, 4])(
  "files after the first %i, which are staged, are verified when they are read back",
  async (ahead) => {
    await expect(importWhileDiskFails(ahead)).rejects.toThrow(PageDamage);
  },
);
