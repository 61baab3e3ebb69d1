import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteText } from "../../../schemas/quote.ts";
import { runFile } from "../../base/sql/statements.ts";
import { type Action, formatCheckpointName, writeEntry } from "./log.ts";
import type { Publisher } from "./publisher.ts";
import { getHintName } from "./read-checkpoint.ts";
import type { Snapshot } from "./snapshot.ts";

/** So many versions are read one by one at most, beside a checkpoint. */
const every = 10;
// Until then the specification wants a checkpoint to name the files that were taken out.
const removedForMs = 7 * 86_400_000;

/**
 * Puts a checkpoint of a table into its log if the last one is this many versions old, so that readers need not read
 * its whole history. After a kill, the next commit does it.
 */
export async function writeDueCheckpoint(
  {
    store,
    connection,
    folder,
    nowMs,
  }: Pick<Publisher, "store" | "connection" | "folder" | "nowMs">,
  table: string,
  snapshot: Snapshot,
): Promise<void> {
  const { version, checkpoint } = snapshot;
  if (version - checkpoint < every) return;
  const actions = listActions(snapshot, nowMs);
  const [lines, file] = [join(folder, "checkpoint.ndjson"), join(folder, "checkpoint.parquet")];
  await writeFile(lines, writeEntry(actions), { mode: 0o600 });
  await runFile(connection, "queries/lake/checkpoint.sql#make", { path: lines });
  await connection.run(`copy lake_checkpoint to ${quoteText(file)} (format parquet)`);
  await connection.run("drop table lake_checkpoint");
  const sha256 = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  await store.upload(formatCheckpointName(table, version), file, sha256);
  const hint = { version, size: actions.length, numOfAddFiles: snapshot.files.size };
  await store.put(getHintName(table), Buffer.from(`${JSON.stringify(hint)}\n`));
  for (const path of [lines, file]) await rm(path, { force: true });
}

function listActions({ protocol, metaData, files, removed }: Snapshot, nowMs: number): Action[] {
  const since = nowMs - removedForMs;
  const gone = [...removed.values()].filter((file) => (file.deletionTimestamp ?? 0) > since);
  return [
    { protocol },
    { metaData },
    ...[...files.values()].map((file) => ({ add: { ...file, dataChange: false } })),
    ...gone.map((file) => ({ remove: { ...file, dataChange: false } })),
  ];
}
