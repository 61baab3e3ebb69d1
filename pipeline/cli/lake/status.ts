import type { Command } from "commander";
import { findNewestPublication } from "../../adapters/lake/publication.ts";
import { openStore } from "../../adapters/lake/open.ts";
import { publishToLake } from "../../adapters/lake/run.ts";
import { readSnapshot } from "../../adapters/lake/snapshot.ts";
import { lakeTables } from "../../adapters/lake/tables.ts";
import { listUnnamedFiles } from "../../adapters/lake/vacuum.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { type OutputFlags, chooseRowFormat, writeRows } from "../../answers/report/output.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { withOutput } from "../output-flags.ts";

export function status(lake: Command, world: World): void {
  const verb = lake
    .command("status")
    .description("show the tables of the lake, and their lag behind the published data");
  withOutput(verb)
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake lake status\n  auditlake lake status --format json",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const format = chooseRowFormat(flags);
      const print = plainPrinter(world, settings.flags);
      await printPublication(settings, print, world);
      await writeRows(await listTables(settings, world), format, flags, world, print);
    });
}

async function printPublication(
  settings: Settings,
  print: (line: string) => void,
  world: World,
): Promise<void> {
  await using store = await openStore(settings, world);
  const publication = await findNewestPublication(store);
  if (publication === undefined) return print(`${store.place}: nothing published yet`);
  print(`${store.place}: publication ${publication.publication} of ${publication.at}`);
  for (const [id, { sources, published_at: at }] of Object.entries(publication.ingesters))
    print(`ingester ${id}: ${sources.join(", ") || "no source"}; ${at ?? "nothing published yet"}`);
}

const names = [
  "table",
  "version",
  "files",
  "rows",
  "bytes",
  "parts_behind",
  "files_without_commit",
];

async function listTables(settings: Settings, world: World): Promise<Rows> {
  const behind = await countBehind(settings, world);
  await using store = await openStore(settings, world);
  const rows: Row[] = [];
  for (const { name } of lakeTables) {
    const snapshot = await readSnapshot(store, name);
    const { version, files } = snapshot;
    const held = [...files.values()];
    const records = held.map(({ stats }) =>
      Number((JSON.parse(stats ?? "{}") as { numRecords?: number }).numRecords),
    );
    const unnamed = await listUnnamedFiles(store, name, snapshot);
    const sumValues = (values: readonly number[]): number =>
      values.reduce((all, value) => all + value, 0);
    const bytes = sumValues(held.map(({ size }) => size));
    rows.push([
      name,
      version,
      held.length,
      sumValues(records),
      bytes,
      behind.get(name) ?? 0,
      unnamed.length,
    ]);
  }
  const columns = names.map((name, at) => {
    const kind = at === 0 ? ("text" as const) : ("number" as const);
    return { name, type: kind === "text" ? "VARCHAR" : "BIGINT", kind };
  });
  // oxlint-disable-next-line typescript/require-await
  const readBatches = async function* (): AsyncGenerator<readonly Row[]> {
    yield rows;
  };
  return { columns, batches: readBatches() };
}

async function countBehind(settings: Settings, world: World): Promise<Map<string, number>> {
  const { tables } = await publishToLake(settings, { dryRun: true }, world);
  return new Map(tables.map(({ table, written, gone }) => [table, written.length + gone.length]));
}
