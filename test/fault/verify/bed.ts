import { generateKeyPairSync } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService } from "../../../fixtures/service.ts";
import type { World } from "../../../pipeline/base/world.ts";
import { type Outcome, run } from "../../support/command.ts";
import { putWarehouse } from "../../support/empty-warehouse.ts";
import { testKey } from "../../support/key.ts";
import { temporaryFolder } from "../../support/load.ts";
import { dayMs, eventAt, hourMs } from "../../support/remote.ts";

/** A report that was exported with its description. */
export type Export = { readonly report: string; readonly format: string; readonly file: string };

/** A folder with a home, its key, its heads and exports, and a head that an auditor has. */
export type Bed = Disposable & {
  readonly folder: string;
  readonly home: string;
  readonly landing: string;
  readonly outsideHead: string;
  readonly exports: readonly Export[];
  readonly run: (argv: readonly string[], world?: Partial<World>) => Promise<Outcome>;
  /** A copy that a trial may change. */
  readonly copy: () => Bed;
};

const start = Date.UTC(2026, 2, 1);
const days = 4;
export const bedNowMs = start + days * dayMs + 3 * hourMs;

const kinds = ["unauthorized", "job_result_download", "sign_in", "query_run"];
const log = Array.from({ length: days * 24 }, (_, i) =>
  eventAt(start + i * hourMs + 60_000, undefined, {
    event_name: kinds[i % kinds.length]!,
    event_result: i % kinds.length === 0 ? "denied" : null,
    // Some names come from the directory.
    user_id: 7 + (i % 3),
    user_email: i % 5 === 0 ? null : `user-${i % 3}@example.com`,
    ip_address: `192.0.2.${i % 11}`,
    bytesize: i * 100,
  }),
);
const users = [7, 8, 9].map((id) => ({
  id,
  email: `list-${id}@example.com`,
  administrator: false,
}));

export const range = ["--since", "2026-03-01", "--until", "2026-03-05"];
const wanted = [
  ["denials_list", "csv"],
  ["denials_by_day", "ndjson"],
  ["activity_by_day", "json"],
  ["downloads_by_day", "parquet"],
  ["denials_by_day", "html"],
  ["first_seen", "csv"],
] as const;

/** Makes a home by scheduled runs and an import, and exports reports of it. */
export async function makeBed(): Promise<Bed> {
  const { path: folder, remove } = temporaryFolder();
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(join(folder, "key.pem"), pem, { mode: 0o600 });
  const evidence = { name: "audit.example.com", key_file: "key.pem", heads: "heads" };
  const audits = { paging: { size: 10 } };
  const config = { evidence, sources: { main: { audits } }, threads: 1, memory_limit: "300MB" };
  writeFileSync(join(folder, "auditlake.json"), JSON.stringify(config), { mode: 0o600 });
  for (const name of ["heads", "exports"]) mkdirSync(join(folder, name));
  const bed = openBed(folder, [], remove);
  await putWarehouse(bed.home);
  await ingestDays(bed, folder);
  const late = log.slice(-3).map(({ record }) => ({ ...record, id: `late-${String(record.id)}` }));
  const file = join(folder, "late.ndjson");
  writeFileSync(file, late.map((record) => `${JSON.stringify(record)}\n`).join(""));
  await must(bed, ["import", file]);
  const marking = ["ingest", "accept", "--from", "2026-03-04", "--to", "2026-03-05"];
  await must(bed, [...marking, "--reason", "checked"]);
  const exports: Export[] = [];
  for (const [report, format] of wanted) {
    const out = join(folder, "exports", `${report}.${format}`);
    await must(bed, ["report", "run", report, ...range, "--out", out, "--meta"]);
    exports.push({ report, format, file: out });
  }
  copyFileSync(findNewestHead(folder), bed.outsideHead);
  return openBed(folder, exports, remove);
}

async function ingestDays(bed: Bed, folder: string): Promise<void> {
  const clock = { nowMs: start };
  const now = (): number => clock.nowMs;
  const service = await startService({ records: log, users, apiKey: testKey, now });
  try {
    for (let day = 1; day <= days; day++) {
      clock.nowMs = start + day * dayMs + 2 * hourMs;
      const env = { AUDITLAKE_BASE_URL: service.url, AUDITLAKE_API_KEY: testKey };
      await must(
        bed,
        ["ingest", ...(day === 1 ? ["--from", "2026-03-01", "--to", "2026-03-02"] : [])],
        { env, now },
      );
      if (day === 2) cpSync(bed.landing, join(folder, "older"), { recursive: true });
    }
  } finally {
    await service.close();
  }
}

function openBed(folder: string, exports: readonly Export[], remove: () => void): Bed {
  const home = join(folder, "home");
  return {
    folder,
    home,
    landing: join(home, "landing"),
    outsideHead: join(folder, "outside.checkpoint"),
    exports,
    run: (argv, world = {}) =>
      run(["--progress", "none", "--config", join(folder, "auditlake.json"), ...argv], {
        now: () => bedNowMs,
        ...world,
        env: { AUDITLAKE_HOME: home, ...world.env },
      }),
    copy: () => {
      const own = temporaryFolder();
      cpSync(folder, own.path, { recursive: true });
      const moved = exports.map((one) => ({ ...one, file: one.file.replace(folder, own.path) }));
      return openBed(own.path, moved, own.remove);
    },
    [Symbol.dispose]: remove,
  };
}

/** Runs a command that has to succeed. */
export async function must(
  bed: Pick<Bed, "run">,
  argv: readonly string[],
  world?: Partial<World>,
): Promise<Outcome> {
  const outcome = await bed.run(argv, world);
  // Data of days that were read once is incomplete, and stored.
  if (outcome.code === 0 || outcome.code === 6) return outcome;
  throw new Error(`${argv.join(" ")}: ${outcome.err}`);
}

/** The newest head in the folder that heads leave to. */
export function findNewestHead(folder: string): string {
  const sizes = readdirSync(join(folder, "heads")).map((name) => Number.parseInt(name, 10));
  return join(folder, "heads", `${Math.max(...sizes)}.checkpoint`);
}
