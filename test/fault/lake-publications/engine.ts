import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runAt, startTrino } from "../../engine/trino.ts";
import { readReports } from "./judge.ts";
import type { Sleeper } from "./home.ts";

const ready = fileURLToPath(new URL("../../../.trino/ready", import.meta.url));

/** Whether there is an engine on this machine. */
export function hasEngine(): boolean {
  return existsSync(ready);
}

/** All reports of a home over its lake, as an engine gives them that is started for it. */
export async function reportsOnEngine(
  sleeper: Sleeper,
  range: readonly [string, string],
  nowMs: number,
): Promise<Map<string, string>> {
  const folder = dirname(sleeper.lake);
  await using trino = await startTrino(folder);
  sleeper.configure({ engines: { trino: { url: trino.url } } });
  const location = `local:///${basename(sleeper.lake)}`;
  const statements = await sleeper.run(
    ["lake", "ddl", "--engine", "trino", "--location", location],
    nowMs,
  );
  for (const sql of statements.out.trimEnd().split(/;\n/))
    await runAt(trino.url, sql.replace(/;$/, ""));
  return await readReports(sleeper, range, nowMs, "--engine", "trino");
}
