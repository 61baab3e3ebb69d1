import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { chooseSource, type Settings } from "../../../../pipeline/base/home/settings.ts";
import {
  landFile,
  type LandedFile,
  type Landing,
} from "../../../../pipeline/core/import/land-file.ts";
import { loadFiles, newFileRead } from "../../../../pipeline/core/import/load-files.ts";
import { newJournal } from "../../../../pipeline/core/landing/journal.ts";
import { PageDamage } from "../../../../pipeline/core/landing/store.ts";
import { listFilesBelow } from "../../../../pipeline/core/landing/sweep.ts";
import { newPageCache } from "../../../../pipeline/core/load/loader.ts";
import { openWriter } from "../../../../pipeline/core/writer/open.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { formatLines, homeWithWarehouse } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const time = 1_767_225_600;
const format = (id: string): string => formatLines([{ time, event_name: "job_kill", id }]);
const files = [format("a"), `[{"time": ${time}, "event_name": "job_ki`, format("b"), format("c")];

/** Imports files, one of them cut off, while the disk loses what was stored of them; returns how many records each gave. */
async function importWhileDiskFails(roomBytes: number): Promise<readonly number[]> {
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
  const read = newFileRead(source, world);
  const writer = await openWriter(settings, settings.home.warehouse, world);
  await using database = writer.database;
  const to: Landing = {
    landing,
    journal: newJournal(landing, read.readId),
    held: newPageCache(roomBytes),
    read,
    connection: database.connection,
    idAt: null,
    form: {},
  };
  const landed: LandedFile[] = [];
  for (const [i, text] of files.entries())
    await landFile(own.write(`${i}.json`, text), to, () => undefined).then(
      (one) => landed.push(one),
      () => undefined,
    );
  for (const page of listFilesBelow(`${landing}/pages`)) writeFileSync(page, "damaged");
  const { counts } = await loadFiles(landed, to, { settings, source, writer, world });
  return counts.map(({ inserted }) => inserted);
}

it("files that wait in memory are loaded without reading the disk", async () => {
  expect(await importWhileDiskFails(1e6)).toEqual([1, 1, 1]);
});

it("files that exceed the memory limit are verified when they are read back", async () => {
  await expect(importWhileDiskFails(100)).rejects.toThrow(PageDamage);
});
