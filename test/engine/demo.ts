import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listUsers } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { makeTraffic } from "../../fixtures/traffic.ts";
import { projectPath } from "../docs/pages.ts";
import { objectStore } from "../lake/tools.ts";
import { runAt, startTrino } from "./trino.ts";

// A lake from nothing: an object store, a scheduled run on an emulated service, Trino, and one report on both
// engines.

const days = 10;
const dayMs = 86_400_000;
const report = "denials_by_actor";
const print = (text: string): void => void process.stderr.write(`${text}\n`);

await using stack = new AsyncDisposableStack();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stack.disposeAsync().then(() => process.exit(130)));

const folder = mkdtempSync(join(tmpdir(), "auditlake-lake-demo-"));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const toMs = Date.now();
const traffic = makeTraffic({ seed: 1, from: toMs - days * dayMs, to: toMs, eventsPerDay: 1000 });
const apiKey = "demo-key";
const users = listUsers(traffic.company);
const service = await startService({ records: traffic, users, apiKey, now: Date.now });
stack.defer(() => service.close());
print(`An emulated service with ${days} days of traffic answers at ${service.url}.`);
const store = stack.use(await objectStore());
print(`An object store answers at ${store.endpoint}; Trino starts, which takes a minute.`);
const trinoFolder = join(folder, "engine");
mkdirSync(trinoFolder);
const trino = stack.use(await startTrino(trinoFolder, { store }));
print(`Trino answers at ${trino.url}.`);

const config = join(folder, "auditlake.json");
const lake = { location: "s3://audit/lake", endpoint: store.endpoint };
writeFileSync(config, JSON.stringify({ lake, engines: { trino: { url: trino.url } } }));
const env = {
  ...process.env,
  ...store.env,
  AUDITLAKE_BASE_URL: service.url,
  AUDITLAKE_API_KEY: apiKey,
};

await auditlake("ingest", "--from", `${days}d`, "--lake");
const statements = (await auditlake("lake", "ddl", "--engine", "trino")).trimEnd().split(/;\n/);
for (const sql of statements) await runAt(trino.url, sql.replace(/;$/, ""));
print(`${statements.length} statements were run at Trino.`);

const iso = (ms: number): string => new Date(ms).toISOString();
const range = ["--since", iso(toMs - days * dayMs), "--until", iso(toMs)];
const results = ["here", "there"].map((name) => join(folder, `${name}.csv`));
for (const [i, argv] of [[], ["--engine", "trino"]].entries())
  await auditlake("report", "run", report, ...range, ...argv, "--out", results[i]!);
const [here, there] = results.map((path) => readFileSync(path, "utf8"));
const rows = here!.trimEnd().split("\n").length - 1;
print(`\n${here!.split("\n").slice(0, 4).join("\n")}\n…`);
if (here !== there || rows === 0) {
  print(`The ${rows} rows of ${report} differ between the database and Trino.`);
  process.exitCode = 1;
} else print(`The ${rows} rows of ${report} are the same on the database and on Trino.`);

async function auditlake(...argv: string[]): Promise<string> {
  print(`\n$ auditlake ${argv.join(" ")}`);
  const bin = projectPath("pipeline/bin.ts");
  const all = [bin, "--home", join(folder, "home"), "--config", config, "--progress", "none"];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [...all, ...argv], { env, stdio: [...stdio] });
  let out = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => (out += text));
  const code = await new Promise((done) => child.once("close", done));
  if (code !== 0)
    throw new Error(`auditlake ${argv.join(" ")} ended with exit code ${String(code)}`);
  return out;
}
