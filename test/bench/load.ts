import { execFileSync } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { once } from "node:events";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { usersOf } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { trafficOf, type Traffic } from "../../fixtures/traffic.ts";
import { measure, median, type Measured } from "./measure.ts";

// Events per second and peak memory of `import` and of `ingest` over HTTP, beside the bare load of the same
// bytes in the same run. Options: number of events (default 1000000), rounds (default 3).
const dayMs = 86_400_000;
const events = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const seed = 1;
const days = 30;
const bin = new URL("../../pipeline/bin.ts", import.meta.url).pathname;
const duties = new URL("duties.ts", import.meta.url).pathname;
const bareLoad = new URL("bare.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "auditlake-bench-"));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function writeEvents(traffic: Traffic, file: string): Promise<number> {
  const out = createWriteStream(file);
  let count = 0;
  for (const event of traffic.events()) {
    if (count === events) break;
    count += 1;
    if (!out.write(`${JSON.stringify(event.record)}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  return count;
}

function show(name: string, count: number, measured: Measured, floor: Measured): void {
  const rate = Math.round(count / measured.seconds).toLocaleString("en-US");
  const ratio = (measured.seconds / floor.seconds).toFixed(2);
  print(
    `${name.padEnd(22)} ${measured.seconds.toFixed(2).padStart(7)} s ${rate.padStart(10)} events/s ${measured.peakMb.toFixed(0).padStart(6)} MB peak ${ratio.padStart(6)} x bare`,
  );
}

async function benchFiles(file: string, count: number): Promise<Measured> {
  const bare: Measured[] = [];
  const imports: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await measure([bareLoad, file, join(folder, `bare-${round}.duckdb`)]));
    const home = join(folder, `home-${round}`);
    imports.push(await measure([bin, "--home", home, "--quiet", "import", file]));
    rmSync(home, { recursive: true });
    rmSync(join(folder, `bare-${round}.duckdb`));
  }
  show("bare read_json", count, median(bare), median(bare));
  show("auditlake import", count, median(imports), median(bare));
  return median(bare);
}

// No number of cores brings `import` below the sum of these by that number.
function showDuties(file: string): void {
  const own = join(folder, "duties");
  mkdirSync(own);
  const lines = execFileSync(process.execPath, [duties, file, own], { encoding: "utf8" });
  const parsed = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { duty: string; seconds: number });
  rmSync(own, { recursive: true });
  const sum = parsed.reduce((total, { seconds }) => total + seconds, 0);
  for (const { duty, seconds } of [...parsed, { duty: "together", seconds: sum }])
    print(`  ${duty.padEnd(40)} ${seconds.toFixed(2).padStart(6)} processor seconds`);
}

async function benchHttp(traffic: Traffic, count: number, floor: Measured): Promise<void> {
  const now = Date.now();
  const service = await startService({
    records: traffic,
    users: usersOf(traffic.company),
    apiKey: "bench",
    now: () => now,
  });
  const env = { ...process.env, AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: "bench" };
  try {
    const ingest = await measure(
      [bin, "--home", join(folder, "http"), "ingest", "--progress", "none", "--from", `${days}d`],
      env,
    );
    show("auditlake ingest (HTTP)", count, ingest, floor);
    print(ingest.stderr.trim().split("\n").at(-2) ?? "");
  } finally {
    await service.close();
  }
}

const to = Math.floor(Date.now() / dayMs) * dayMs;
const traffic = trafficOf({
  seed,
  from: to - days * dayMs,
  to,
  eventsPerDay: Math.ceil((events * 1.02) / days),
});
const file = join(folder, "events.ndjson");
try {
  const count = await writeEvents(traffic, file);
  const megabytes = (statSync(file).size / 1e6).toFixed(0);
  print(
    `${count} events, ${megabytes} MB, seed ${seed}; ${cpus().length} cores, Node ${process.versions.node}, median of ${rounds}`,
  );
  const floor = await benchFiles(file, count);
  showDuties(file);
  await benchHttp(traffic, count, floor);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
