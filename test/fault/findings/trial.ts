import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomOf } from "../../../fixtures/random.ts";
import { homeAt } from "../../../pipeline/base/home/layout.ts";
import { chooseSource, type Settings } from "../../../pipeline/base/home/settings.ts";
import { findReports } from "../../../pipeline/base/report/find.ts";
import { chooseDetections } from "../../../pipeline/core/detect/detections.ts";
import { evaluateDetections } from "../../../pipeline/core/detect/evaluate.ts";
import { askOn } from "../../../pipeline/core/detect/hits.ts";
import { landFile } from "../../../pipeline/core/import/land-file.ts";
import { importUsers, loadFiles, newFileRead } from "../../../pipeline/core/import/load-files.ts";
import { newJournal } from "../../../pipeline/core/landing/journal.ts";
import { foldDue } from "../../../pipeline/core/store/derived.ts";
import { openWriter } from "../../../pipeline/core/writer/open.ts";
import { configSchema } from "../../../schemas/config.ts";
import { putWarehouse } from "../../support/empty-warehouse.ts";
import { temporaryFolder } from "../../support/load.ts";
import { testWorld } from "../../support/world.ts";
import { cutLog, drawLog, type LogRecord } from "./log.ts";

const config = configSchema.parse({ findings: { learning: "1d" } });

/** Complaints of a seed: findings of a log in pieces that are not those of the whole at once. */
export async function compareCuts(
  seed: number,
): Promise<{ complaints: string[]; findings: number }> {
  const random = randomOf(seed, "findings");
  const { records, users } = drawLog(random);
  const whole = await findingsOf([records], users);
  const pieces = await findingsOf(cutLog(records, random), users);
  const complaints = [
    ...whole.filter((each) => !pieces.includes(each)).map((each) => `missing in pieces: ${each}`),
    ...pieces.filter((each) => !whole.includes(each)).map((each) => `only in pieces: ${each}`),
  ];
  return { complaints: complaints.map((each) => `seed ${seed}: ${each}`), findings: whole.length };
}

async function findingsOf(
  reads: readonly (readonly LogRecord[])[],
  users: readonly object[],
): Promise<string[]> {
  const { path: folder, remove } = temporaryFolder();
  const world = testWorld();
  const settings: Settings = {
    home: homeAt(join(folder, "home")),
    config,
    configFile: undefined,
    configFolder: folder,
    flags: { logLevel: "silent", quiet: true, progress: "none" },
  };
  try {
    await putWarehouse(settings.home.root);
    const writer = await openWriter(settings, settings.home.warehouse, world);
    await using database = writer.database;
    const { connection } = database;
    const detections = chooseDetections(findReports().reports, config);
    const source = chooseSource(settings, world);
    const importing = { settings, source, writer, world };
    const file = join(folder, "records.json");
    if (users.length > 0) {
      writeFileSync(file, JSON.stringify({ users }));
      await importUsers(file, importing);
    }
    for (const [number, records] of reads.entries()) {
      writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      const read = newFileRead(source, world);
      const { landing } = settings.home;
      const form = { recordsAt: null, givenAt: undefined, separator: undefined };
      const to = {
        landing,
        journal: newJournal(landing, read.readId),
        read,
        connection,
        idAt: null,
        form,
      };
      await loadFiles([await landFile(file, to, () => undefined)], to, importing);
      await foldDue(connection);
      const failed = await evaluateDetections(connection, detections, {
        ask: askOn(connection),
        runId: `run-${number}`,
        world,
      });
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
    }
    const rows = await connection.runAndReadAll(
      "select concat_ws(' ', detection, source, key, first_at, finding_id) from findings where state <> 'withdrawn' order by 1",
    );
    return rows.getRows().map(([text]) => String(text));
  } finally {
    remove();
  }
}
