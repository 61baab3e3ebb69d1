import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { measure, measureProgram, medianWork, type Measured } from "./measure.ts";
import type { Context } from "./traffic.ts";

const own = (name: string): string => new URL(name, import.meta.url).pathname;
const tools = own("../../.bench-tools/bin/");

/** What other ways take for the same file, the first time and again; those in Python where its tools are installed. */
export async function othersCases(context: Context): Promise<void> {
  const { folder, file } = context;
  await twice(context, "DuckDB, ten lines with an anti join", [join(folder, "anti.duckdb")], () =>
    measure([own("anti-join.ts"), file, join(folder, "anti.duckdb")]),
  );
  if (!existsSync(join(tools, "python"))) return;
  const dlt = join(folder, "dlt");
  const env = { ...process.env, HOME: dlt, DLT_DATA_DIR: dlt, RUNTIME__DLTHUB_TELEMETRY: "false" };
  await twice(context, "dlt, merge, Arrow in", [dlt], () =>
    measureProgram(join(tools, "python"), [own("dlt_merge.py"), file, dlt], env),
  );
  const database = join(folder, "sqlite.db");
  await twice(context, "sqlite-utils, primary key", [database], () => {
    const argv = ["insert", database, "log", file, "--nl", "--pk", "id", "--replace", "--alter"];
    return measureProgram(join(tools, "sqlite-utils"), argv);
  });
}

// Long ones are measured once instead of three times.
const longSeconds = 5;

async function twice(
  { figures, rounds }: Context,
  name: string,
  files: readonly string[],
  run: () => Promise<Measured>,
): Promise<void> {
  const [first, again]: Measured[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    first!.push(await run());
    again!.push(await run());
    for (const one of files) rmSync(one, { recursive: true, force: true });
    if (first![0]!.processorSeconds > longSeconds) break;
  }
  figures.took(name, medianWork(first!));
  figures.took(`${name}, again`, medianWork(again!));
}
