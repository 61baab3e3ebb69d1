import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { formatDay } from "../base/time/text.ts";
import { listUsers } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { calmTraffic, makeTraffic } from "../../fixtures/traffic.ts";
import { type FindingLine, readFirstFinding } from "../answers/findings/ask.ts";
import { AuditlakeError, UsageError } from "../base/errors.ts";
import { getEntryPath } from "../base/home/assets.ts";
import { quoteWords } from "../base/command-line.ts";
import type { World } from "../base/world.ts";
import { makeFolders } from "../base/home/durable.ts";

const days = 30;
const dayMs = 86_400_000;
const demoKey = "demo-key";
// A file of this name marks a folder that a demo made, whose content a later demo may delete.
const marker = ".auditlake-demo";
// One question of each family.
const range = ["--since", `${days}d`];
const shown = [
  ["failed_sign_ins_then_success", ...range],
  ["full_access_granted", ...range],
  ["result_downloads", ...range],
  ["full_access_holders"],
];

// The scheduled run sends new rows of a table, here to a folder, elsewhere to a channel.
const buildActivation = (folder: string): object => ({
  activation_actions_table: "denials",
  id_key: "event_key",
  activation_mappings: [
    { delta_status: "new", connector_field: "file_name", connector_field_value: "new_denials" },
  ],
  result_connection_name: "none",
  result_connection_settings: { type: "file", folder },
});

/** Registers `demo`. */
export function demo(program: Command, world: World): void {
  program
    .command("demo")
    .description(`run an end-to-end demo: ${days} days of an emulated service, deliveries, reports`)
    .option("--dir <dir>", "folder for the data: a new one, or one from an earlier demo", "demo")
    .option("--seed <n>", "seed of the generated traffic", "1")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake demo\n  auditlake demo --dir /tmp/demo --seed 7",
    )
    .action(async ({ dir, seed }: { dir: string; seed: string }) => {
      await runDemo(resolve(dir), Number(seed), world);
    });
}

async function runDemo(folder: string, seed: number, world: World): Promise<void> {
  const startMs = world.now();
  const home = join(folder, "auditlake");
  const reports = join(folder, "reports");
  const delivered = join(folder, "delivered");
  const pages = join(folder, "pages");
  takeFolder(folder);
  for (const path of [home, reports, delivered, pages])
    rmSync(path, { recursive: true, force: true });
  const config = join(folder, "auditlake.json");
  // Where every e-mail column counted as sensitive, everyday work would fill the list.
  const findings = { sensitive_columns: ["crm.customers.email", "crm.customers.phone"] };
  const activations = { denials: buildActivation(delivered) };
  writeFileSync(config, JSON.stringify({ activations, findings }));
  const traffic = makeTraffic({
    seed,
    from: startMs - days * dayMs,
    to: startMs,
    eventsPerDay: 2000,
    unlistedShare: 0.02,
    ...calmTraffic(days),
  });
  const users = listUsers(traffic.company);
  const service = await startService({ records: traffic, users, apiKey: demoKey, now: world.now });
  const env = { ...world.env, AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: demoKey };
  const run = (...argv: string[]): Promise<void> =>
    runAuditlake(["--home", home, "--config", config, ...argv], env, world);
  try {
    world.stderr.write(
      `An emulated service with ${days} days of traffic (seed ${seed}) listens at ${service.url}.\n`,
    );
    const yesterday = formatDay(startMs - dayMs);
    await run("ingest", "--from", `${days}d`, "--to", yesterday);
    await run("activate", "denials");
    world.stderr.write(
      "\nThe next scheduled run adds one day; only its new denials are delivered.\n",
    );
    await run("ingest", "--from", yesterday);
    await run("activate", "denials");
    for (const report of shown) await run("report", "run", ...report, "--limit", "8");
    await run("report", "run", "--all", ...range, "--out", reports, "--quiet");
    await run("page", "--out", pages, "--quiet");
    await run(
      "sql",
      "select count(*) as events, min(event_time) as first, max(event_time) as last from events",
    );
    world.stderr.write("\nWhat deserves attention first:\n");
    await run("findings", "--limit", "8");
  } finally {
    await service.close();
  }
  const first = await readFirstFinding(home, world);
  const seconds = ((world.now() - startMs) / 1000).toFixed(1);
  world.stderr.write(
    `\n${formatFirst(first, home)}Daily report:       ${pathToFileURL(join(pages, readdirSync(pages).at(-1) ?? "")).href}\nAll reports as CSV: ${reports}\nDelivered denials:  ${delivered}\nDatabase:           ${join(home, "audit.duckdb")}\nTook ${seconds} s. Next: make install, then auditlake --home ${home} report list\n`,
  );
}

function formatFirst(finding: FindingLine | undefined, home: string): string {
  if (finding === undefined) return "";
  return `First finding:      auditlake --home ${home} findings show ${finding.id}\n`;
}

/**
 * Creates the folder of a demo, or reuses the folder of an earlier one; throws UsageError for any other folder with
 * content.
 */
function takeFolder(folder: string): void {
  const made = join(folder, marker);
  const is = statSync(folder, { throwIfNoEntry: false });
  if (is?.isDirectory() === false)
    throw new UsageError(`${folder} is not a folder; choose a new one with --dir`);
  if (is && !existsSync(made) && readdirSync(folder).length > 0)
    throw new UsageError(
      `${folder} contains files of other origin, which the demo would delete; choose a new folder with --dir`,
    );
  makeFolders(folder, 0o777);
  writeFileSync(made, "auditlake demo recreates this folder each time.\n");
}

// The demo types what a person would type, in processes of their own.
async function runAuditlake(
  argv: readonly string[],
  env: World["env"],
  world: World,
): Promise<void> {
  const bin = getEntryPath("pipeline/bin");
  const typed = quoteWords(argv.slice(4));
  world.stderr.write(`\n$ auditlake ${typed}\n`);
  const child = spawn(process.execPath, [bin, ...argv], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise<number | null>((done, fail) =>
    child.on("close", done).on("error", fail),
  );
  if (code !== 0)
    throw new AuditlakeError(`the demo stopped: auditlake ${typed} ended with exit code ${code}`);
}
