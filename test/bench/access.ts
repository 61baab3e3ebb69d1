import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { withParts } from "../../pipeline/base/sql/statements.ts";
import { listUnknownLines } from "../../pipeline/answers/report/reach.ts";
import { readUnreadTimes } from "../../pipeline/answers/report/unread.ts";
import { openPublished } from "../../pipeline/core/store/open.ts";
import { dayMs, measure } from "./measure.ts";
import { reportTimes } from "./report-times.ts";
import { listRights } from "./rights.ts";

// The costs of access queries over five years of changes, planning included. Options: policies (default 300), users
// (3000), days (1825), and a folder to keep.
const [policies, users, days] = [300, 3000, 1825].map((n, i) => Number(process.argv[2 + i] ?? n));
const kept = process.argv[5];
const bin = new URL("../../pipeline/bin.ts", import.meta.url).pathname;
const folder = kept ?? mkdtempSync(join(tmpdir(), "auditlake-access-"));
const home = join(folder, "home");
const to = Math.floor(Date.now() / dayMs) * dayMs;
const from = to - days! * dayMs;

const note = (what: string, seconds: number): void =>
  void process.stdout.write(`${what.padEnd(50)} ${seconds.toFixed(2).padStart(8)} s\n`);

async function auditlake(...argv: string[]): Promise<void> {
  const { seconds } = await measure([bin, "--home", home, "--progress", "none", ...argv]);
  note(argv[0]!, seconds);
}

async function fill(): Promise<void> {
  const size = { policies: policies!, users: users!, days: days! };
  const { records, readings } = listRights(size, from);
  const file = join(folder, "log.ndjson");
  const list = join(folder, "users.json");
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const all = Array.from({ length: users! }, (_, i) => ({
    id: i + 1,
    email: `user${i + 1}@example.com`,
    administrator: i % 500 === 0,
  }));
  writeFileSync(list, JSON.stringify({ users: all }));
  await auditlake("import", file, "--users", list);
  const landed = join(home, "landing", "policies");
  mkdirSync(landed, { recursive: true });
  for (const [n, { atMs, sets }] of readings.entries()) {
    const snapshot_id = `s${String(n).padStart(4, "0")}`;
    const own = sets.map((body, i) => ({
      policy_id: String(1000 + i),
      read_at: new Date(atMs + i).toISOString(),
      body,
    }));
    const snapshot = { version: 1, snapshot_id, source: "default", policies: own };
    writeFileSync(join(landed, `${snapshot_id}.json`), JSON.stringify(snapshot));
  }
  await auditlake("rebuild");
}

const questions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  who: { database_id: "7", user_id: "" },
  what: { user_id: "7" },
  why: { user_id: "7", database_id: "7" },
  policies: {},
  policy: { policy_id: "1007" },
  history: { policy_id: "1007" },
};

async function ask(connection: DuckDBConnection): Promise<void> {
  // The tables that these files need besides.
  await readUnreadTimes(connection, undefined);
  const on = new Date(to).toISOString().slice(0, 19).replace("T", " ");
  await listUnknownLines(connection, { source: null, on });
  for (const [name, given] of Object.entries(questions)) {
    const sql = withParts(readAsset(`queries/access/${name}.sql`));
    const all = { ...given, on, source: null };
    const values = Object.fromEntries(
      Object.entries(all)
        .filter(([key]) => sql.includes(`$${key}`))
        .map(([key, value]) => [key, value === "" ? null : value]),
    );
    const start = performance.now();
    const rows = (await connection.runAndReadAll(sql, values)).currentRowCount;
    note(`access/${name}, ${rows} rows`, (performance.now() - start) / 1000);
  }
  const ofRights = ["access", "permission_changes"];
  for (const { name, family, seconds } of await reportTimes(connection, to))
    if (ofRights.includes(family)) note(`${family}/${name}`, seconds);
}

try {
  if (!existsSync(resolveHome(home).published)) await fill();
  await using database = await openPublished(resolveHome(home).published, { memoryLimit: "1GB" });
  await ask(database.connection);
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
