import { expect } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCode } from "../../pipeline/base/errors.ts";
import type { ContractTable } from "../../schemas/contract.ts";
import { goldenRuns } from "../support/golden.ts";
import type { Outcome } from "../support/command.ts";
import type { TestHome } from "../support/home.ts";
import { runAt, type RunningTrino } from "./trino.ts";

/** A home whose lake an engine reads, so that both can be asked the same. */
export type Beside = {
  readonly home: TestHome;
  /** A verb with the configuration that names lake and engine. */
  readonly ask: (...argv: string[]) => Promise<Outcome>;
};

// Wide enough for all that is loaded, and the same whenever it is asked.
const range = ["--since", "2026-01-01", "--until", "2026-06-01"];
const now = (): number => Date.parse("2026-06-01T00:00:00Z");
const onEngine = ["--engine", "trino"];

/** Publishes a home below the folder that an engine reads, and registers its tables there in a schema of that name. */
export async function putBeside(
  home: TestHome,
  trino: RunningTrino,
  folder: string,
  name: string,
): Promise<Beside> {
  const engines = { trino: { url: trino.url, schema: name } };
  const lake = { location: join(folder, name) };
  const config = home.write(`${name}.json`, JSON.stringify({ lake, engines }));
  const ask: Beside["ask"] = (...argv) => home.run(["--config", config, ...argv], { now });
  await pass(ask("lake", "publish"));
  const { out } = await pass(ask("lake", "ddl", ...onEngine, "--location", `local:///${name}`));
  for (const sql of out.trimEnd().split(/;\n/)) await runAt(trino.url, sql.replace(/;$/, ""));
  return { home, ask };
}

async function pass(asked: Promise<Outcome>): Promise<Outcome> {
  const outcome = await asked;
  expect([outcome.code, outcome.err]).toEqual([0, expect.any(String)]);
  return outcome;
}

/** All reports as text by name, those among them that need to know of whom. */
export async function allReports({ home, ask }: Beside, isThere: boolean) {
  const folder = join(home.folder, `reports-${Math.random()}`);
  const where = isThere ? onEngine : [];
  const note = "note: results of an engine do not show unread times";
  for (const argv of goldenRuns) {
    const outcome = await ask("report", "run", ...argv, ...range, ...where, "--out", folder);
    // A lake without users has no user of that name: both engines report it.
    if (outcome.code === exitCode.usage && argv.includes("--param")) continue;
    const said = expect.stringContaining(isThere ? note : "");
    expect([argv, outcome.code, outcome.err]).toEqual([argv, 0, said]);
  }
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

/** The rows of a view or table of the contract, unordered; its error line if it has none. */
export async function listRows({ ask }: Beside, table: ContractTable, isThere: boolean) {
  const columns = table.columns.map(({ name }) => name).join(", ");
  const argv = ["--format", "ndjson", ...(isThere ? onEngine : [])];
  const { code, out, err } = await ask("sql", `select ${columns} from ${table.name}`, ...argv);
  if (code !== 0) return err.split("\n").filter((line) => line.startsWith("error:"));
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.stringify(Object.entries(JSON.parse(line) as object).map(asText)))
    .sort();
}

// The lake holds lists and JSON as text, and keys as their 32 digits.
function asText([name, value]: readonly [string, unknown]): readonly unknown[] {
  if (name.endsWith("_key") && typeof value === "string") return [name, value.replaceAll("-", "")];
  return [name, value !== null && typeof value === "object" ? JSON.stringify(value) : value];
}
