import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../schemas/config.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { readFilePages } from "../../pipeline/core/import/pages.ts";
import { watchBytes } from "../../pipeline/core/import/bytes.ts";
import { createLineWriter } from "../../pipeline/core/records/line-writer.ts";
import { stagePage } from "../../pipeline/core/records/stage-page.ts";
import { type LandedPage } from "../../pipeline/core/landing/store.ts";
import { landPage } from "../support/land.ts";
import { openWriter } from "../../pipeline/core/writer/open.ts";
import { publishWarehouse } from "../../pipeline/core/session/write.ts";
import type { Settings } from "../../pipeline/base/home/settings.ts";
import {
  beginRejects,
  insertBatch,
  listStagedFiles,
} from "../../pipeline/core/store/loading/insert.ts";
import { foldDue, noteDue } from "../../pipeline/core/store/derived.ts";
import { finishRead } from "../../pipeline/core/store/loading/finish.ts";
import type { ReadFacts, StagedPage } from "../../pipeline/core/store/loading/read-facts.ts";
import { newRealWorld } from "../../pipeline/base/world.ts";

// The parts of `import` for a file of records, one after the other in one process. The processor seconds of each are
// printed as lines of JSON. Arguments: the file, and an empty folder.
const [, , file = "", folder = ""] = process.argv;
const world = newRealWorld(new AbortController().signal);
const config = configSchema.parse({});
const home = resolveHome(join(folder, "home"));
const flags = { logLevel: "silent", progress: "none", quiet: true } as const;
const settings: Settings = { home, config, configFile: undefined, configFolder: folder, flags };
const staging = join(home.staging, "0");
for (const each of Object.values(listStagedFiles(staging, 0)))
  mkdirSync(join(each, ".."), { recursive: true });

async function measure<T>(duty: string, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ duty, seconds: (user + system) / 1e6 })}\n`);
  return result;
}

type Piece = { readonly bytes: Buffer; readonly page: LandedPage };

const writer = await measure("opening", () => openWriter(settings, home.warehouse, world));
const { connection } = writer.database;
const pieces = await measure("landing (SHA-256, zstd, fsync)", async () => {
  const landed: Piece[] = [];
  for await (const { bytes, format } of readFilePages(
    file,
    watchBytes(() => undefined),
  ))
    landed.push({ bytes, page: await landPage(home.landing, bytes, format) });
  return landed;
});
const pages = await measure("checking and staging", () => {
  const rules = { identity: writer.fields.identity, maxRecordBytes: 1e6 };
  const files = listStagedFiles(staging, 0);
  using named = createLineWriter(files.named);
  using nameless = createLineWriter(files.nameless);
  const stage = ({ bytes, page }: Piece, number: number): StagedPage => {
    const shape = { format: page.format, recordsAt: null };
    const staged = stagePage(bytes, shape, rules, { named, nameless }, number);
    return { page: number, sha256: page.sha256, bytes: page.bytes, ...staged };
  };
  return Promise.resolve(pieces.map(stage));
});
const read: ReadFacts = {
  readId: "duties",
  runId: "duties",
  source: "default",
  windowStart: null,
  windowEnd: null,
  windowMs: 86_400_000,
  seenAt: "2026-01-01 00:00:00",
  parts: [],
};
await connection.run("begin");
await beginRejects(connection);
const tallies = { accepted: new Map<number, number>(), rejected: new Map<number, number>() };
const batch = { folder: staging, pages };
await measure("insert: fields, fingerprint, catalog", () =>
  insertBatch(connection, read, batch, writer.fields, tallies),
);
await measure("repeats, digest, commit", async () => {
  const judge = (): Promise<{ repeats: boolean }> => Promise.resolve({ repeats: false });
  const inserted = { staged: pages, ...tallies };
  const { brought } = await finishRead(connection, read, inserted, judge);
  await noteDue(connection, read.readId, brought);
  await connection.run("commit");
});
await measure("folding jobs, rights, active days, ids", () => foldDue(connection));
await writer.database[Symbol.asyncDispose]();
await measure("checkpoint, published copy", () => publishWarehouse(settings, world));
