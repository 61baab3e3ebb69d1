import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAsset } from "../../../pipeline/base/home/assets.ts";
import { reports } from "../../queries/run.ts";
import { type Change, readMeta, writeMeta } from "./asked.ts";
import { bedNowMs, findNewestHead, must } from "./bed.ts";
import { listReads, readPages, sha256, writePages } from "./landed.ts";

// Changes that do not affect a file: the auditor's head is the newest one.

/** Changes that leave a file what it was. */
export const harmlessChanges: readonly Change[] = [
  {
    name: "recompressed pages",
    apply: (bed, { file }, random) => {
      for (const read of listReads(bed.landing))
        writePages(bed.landing, read, readPages(bed.landing, read), random.int(1, 12));
      return { file };
    },
  },
  {
    name: "moved home",
    apply: (bed, { file }) => {
      const moved = join(bed.folder, "elsewhere");
      renameSync(bed.home, moved);
      return { file, flags: ["--home", moved] };
    },
  },
  {
    name: "moved file",
    apply: (bed, { file }, random) => {
      const [to, meta] = [
        join(bed.folder, `moved-${random.int(1, 99)}`),
        join(bed.folder, "m.json"),
      ];
      renameSync(file, to);
      cpSync(`${file}.meta.json`, meta);
      return { file: to, flags: ["--meta", meta] };
    },
  },
  {
    name: "rebuild",
    apply: async (bed, { file }) => {
      await must(bed, ["rebuild"]);
      return { file };
    },
  },
  {
    name: "upgrade",
    apply: (_bed, { file }, random) => {
      const program = {
        version: "0.0.1",
        catalog_sha256: "1".repeat(64),
        bundle_sha256: "2".repeat(64),
      };
      writeMeta(file, { ...readMeta(file), auditlake: "0.0.1", program });
      return { file, flags: random.chance(0.5) ? ["--queries", newFolder(file)] : [] };
    },
  },
  {
    name: "upgrade with another text of the report",
    apply: (_bed, { file, report }) => {
      const folder = newFolder(file);
      const { file: path, sql } = reports.find(({ name }) => name === report)!;
      const former = `${readAsset(path)}\n-- As it was before.\n`;
      writeFileSync(join(folder, `${report}.sql`), former);
      // Parts that the package puts in are in the hash.
      const expanded = `${sql}\n-- As it was before.\n`;
      writeMeta(file, { ...readMeta(file), sql_sha256: sha256(expanded) });
      return { file, flags: ["--queries", folder] };
    },
  },
  {
    name: "later appends",
    apply: async (bed, { file }, random) => {
      const count = random.int(1, 5);
      const lines = Array.from({ length: count }, (_, i) =>
        JSON.stringify({
          time: Date.UTC(2026, 2, 1 + i) / 1000,
          event_name: "unauthorized",
          id: `new-${i}`,
        }),
      );
      const path = join(bed.folder, "new.ndjson");
      writeFileSync(path, `${lines.join("\n")}\n`);
      await must(bed, ["import", path], { now: () => bedNowMs + 1000 });
      return { file, flags: random.chance(0.5) ? ["--head", findNewestHead(bed.folder)] : [] };
    },
  },
  {
    name: "time zone of the configuration",
    apply: (bed, { file }, random) => {
      const path = join(bed.folder, "auditlake.json");
      const config = JSON.parse(readFileSync(path, "utf8")) as object;
      const timezone = random.pick(["Asia/Tokyo", "America/St_Johns", "Europe/Oslo"]);
      writeFileSync(path, JSON.stringify({ ...config, timezone }), { mode: 0o600 });
      return { file };
    },
  },
];

function newFolder(file: string): string {
  const folder = `${file}-queries`;
  mkdirSync(folder);
  return folder;
}
