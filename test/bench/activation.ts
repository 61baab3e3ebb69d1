import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { measure, median, type Measured } from "./measure.ts";

// Seconds and peak memory of `activate` where as many rows are compared with as many of the last run: 10 % updated,
// 1 % new, 1 % deleted. Options: number of rows (default 1000000), rounds (default 3).
const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const seed = 1;
const bin = new URL("../../pipeline/bin.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "auditlake-bench-"));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const moved = Math.floor(rows / 100);

/** Writes the published file of a day: `from` is the first id, and every tenth row has another name after it. */
async function publish(path: string, from: number): Promise<void> {
  rmSync(path, { force: true });
  const instance = await DuckDBInstance.create(path, { storage_compatibility_version: "v1.5.0" });
  const connection = await instance.connect();
  const id = `md5(cast(hash(n, ${seed}) as varchar))`;
  const name = `'person ' || hash(n, ${seed}, n % 10 = 0 and ${from} > 0)`;
  await connection.run(
    `create table people as select ${id} as id, ${name} as name, hash(n) % 1000 as team, 'p' || n || '@example.com' as email from range(${from}, ${from + rows}) as r (n) order by hash(n)`,
  );
  connection.closeSync();
  instance.closeSync();
}

function configure(path: string, ...statuses: string[]): void {
  const activation = {
    activation_actions_table: "people",
    id_key: "id",
    delta_keys: ["name", "team", "email"],
    activation_mappings: statuses.map((delta_status) => ({
      delta_status,
      connector_field: "file_name",
      connector_field_value: delta_status,
    })),
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
  };
  writeFileSync(path, JSON.stringify({ activations: { people: activation } }));
}

async function round(index: number): Promise<Measured> {
  const home = resolveHome(join(folder, `home-${index}`));
  mkdirSync(home.root, { mode: 0o700 });
  const config = join(folder, `auditlake-${index}.json`);
  const argv = [bin, "--home", home.root, "--config", config, "activate", "people"];
  await publish(home.published, 0);
  // The first run only remembers: nothing is unchanged yet.
  configure(config, "unchanged");
  await measure(argv);
  await publish(home.published, moved);
  configure(config, "new", "updated", "deleted");
  const measured = await measure(argv);
  rmSync(home.root, { recursive: true });
  return measured;
}

try {
  print(
    `${rows} rows against ${rows}, seed ${seed}; ${cpus().length} cores, Node ${process.versions.node}, median of ${rounds}`,
  );
  const all: Measured[] = [];
  for (let index = 0; index < rounds; index++) all.push(await round(index));
  const { seconds, peakMb, stderr } = median(all);
  print(
    `${"auditlake activate".padEnd(22)} ${seconds.toFixed(2).padStart(7)} s ${peakMb.toFixed(0).padStart(6)} MB peak`,
  );
  print(stderr.trim());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
