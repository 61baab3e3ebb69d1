import { rmSync } from "node:fs";
import { join } from "node:path";
import { listUsers } from "../../fixtures/company.ts";
import { startService } from "../../fixtures/service.ts";
import { dayMs, measure, medianWork, processorSeconds, type Measured } from "./measure.ts";
import { bareLoad, bin, monthDays, buildMonth, today, type Context } from "./traffic.ts";

const download = new URL("download.ts", import.meta.url).pathname;

/** `ingest` over HTTP beside a script that downloads the same and loads it bare. */
export async function httpCases(context: Context, events: number): Promise<void> {
  const { folder, rounds, figures } = context;
  const traffic = buildMonth(events);
  const service = await startService({
    records: traffic,
    users: listUsers(traffic.company),
    apiKey: "bench",
    now: () => today,
  });
  const env = { ...process.env, AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: "bench" };
  const home = join(folder, "http");
  const [from, to] = [today - monthDays * dayMs, today].map((ms) => String(ms / 1000));
  const file = join(folder, "downloaded.ndjson");
  const database = join(folder, "downloaded.duckdb");
  const [fetched, bare, ingested]: Measured[][] = [[], [], []];
  let ofService = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      fetched!.push(await measure([download, service.url, from!, to!, file]));
      bare!.push(await measure([bareLoad, file, database]));
      const before = processorSeconds();
      const argv = [
        "--progress",
        "none",
        "ingest",
        "--from",
        new Date(Number(from) * 1000).toISOString(),
      ];
      ingested!.push(await measure([bin, "--home", home, ...argv], env));
      ofService = processorSeconds() - before;
      for (const one of [home, file, database]) rmSync(one, { recursive: true });
    }
  } finally {
    await service.close();
  }
  const [script, floor, ingest] = [medianWork(fetched!), medianWork(bare!), medianWork(ingested!)];
  figures.took("download by a script", script);
  figures.took(`\`ingest\` over HTTP, ${monthDays} windows`, ingest);
  figures.add({ what: "  the service meanwhile", value: ofService, unit: "s of the processor" });
  figures.add({
    what: "`ingest` over HTTP / (download + bare load)",
    value: ingest.processorSeconds / (script.processorSeconds + floor.processorSeconds),
    unit: "times",
    aim: "3.0",
    command: `node test/bench/table.ts ${events} --only http`,
  });
}
