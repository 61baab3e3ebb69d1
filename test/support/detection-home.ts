import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { chooseSource, type Settings } from "../../pipeline/base/home/settings.ts";
import { findReports } from "../../pipeline/base/report/find.ts";
import {
  bringDecisions,
  keepDecisions,
  type NewDecision,
} from "../../pipeline/core/detect/decisions.ts";
import { chooseDetections } from "../../pipeline/core/detect/detections.ts";
import { evaluateDetections, type FailedDetection } from "../../pipeline/core/detect/evaluate.ts";
import { type Ask, askOn } from "../../pipeline/core/detect/hits.ts";
import { landFile } from "../../pipeline/core/import/land-file.ts";
import { importUsers, loadFiles, newLanding } from "../../pipeline/core/import/load-files.ts";
import { foldDue } from "../../pipeline/core/store/derived.ts";
import { openWriter } from "../../pipeline/core/writer/open.ts";
import { configSchema } from "../../schemas/config.ts";
import { putWarehouse } from "./empty-warehouse.ts";
import { temporaryFolder } from "./load.ts";
import { testWorld } from "./world.ts";

/** A warehouse that is open for writing, into which records come read by read, and whose detections are evaluated. */
export type DetectionHome = AsyncDisposable & {
  readonly connection: DuckDBConnection;
  readonly load: (records: readonly object[]) => Promise<void>;
  readonly loadUsers: (users: readonly object[]) => Promise<void>;
  /** Evaluates all detections, or those of another configuration; returns those that failed. */
  readonly evaluate: (config?: object, ask?: Ask) => Promise<readonly FailedDetection[]>;
  readonly decide: (decision: NewDecision) => Promise<void>;
  readonly rows: (sql: string) => Promise<Record<string, unknown>[]>;
};

/** With the detections of some names, or all; `leastEvents` splits an evaluation over the whole log. */
export async function openDetectionHome(
  config: object = {},
  names?: readonly string[],
  leastEvents?: number,
): Promise<DetectionHome> {
  const { path: folder, remove } = temporaryFolder();
  let nowMs = Date.UTC(2030, 0, 1);
  const world = testWorld({ now: () => (nowMs += 1) });
  const read = (given: object): Settings => ({
    home: resolveHome(join(folder, "home")),
    config: configSchema.parse(given),
    configFile: undefined,
    configFolder: folder,
    flags: { logLevel: "silent", quiet: true, progress: "none" },
  });
  const settings = read(config);
  await putWarehouse(settings.home.root);
  const writer = await openWriter(settings, settings.home.warehouse, world);
  const { connection } = writer.database;
  const importing = { settings, source: chooseSource(settings, world), writer, world };
  const file = join(folder, "records.json");
  let runs = 0;
  return {
    connection,
    load: async (records) => {
      writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      const to = newLanding({ recordsAt: null }, importing);
      await loadFiles([await landFile(file, to, () => undefined)], to, importing);
      await foldDue(connection);
    },
    loadUsers: async (users) => {
      writeFileSync(file, JSON.stringify({ users }));
      await importUsers(file, importing);
    },
    evaluate: async (given = config, ask = askOn(connection)) => {
      await bringDecisions(settings.home, connection);
      const reports = findReports().reports.filter(
        ({ name }) => names === undefined || names.includes(name),
      );
      const detections = chooseDetections(reports, read(given).config);
      const runId = `run-${(runs += 1)}`;
      const parts = leastEvents === undefined ? {} : { leastEvents };
      return evaluateDetections(connection, detections, { ask, runId, world, ...parts });
    },
    decide: async (decision) => {
      await keepDecisions(settings.home, [decision], "ann", world);
    },
    rows: async (sql) => {
      const reader = await connection.runAndReadAll(sql);
      return reader.getRowObjectsJson();
    },
    [Symbol.asyncDispose]: async () => {
      await writer.database[Symbol.asyncDispose]();
      remove();
    },
  };
}
