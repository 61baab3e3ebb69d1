import { warning } from "../../base/notice/notice.ts";
import { type Print } from "../../base/notice/printer.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { chmodSync, closeSync, existsSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { quoteName } from "../../../schemas/quote.ts";
import { canShareBlocks, copyCompared, findFirstDifference } from "../../base/home/copy.ts";
import { putInPlace, syncFolder } from "../../base/home/durable.ts";
import type { Home } from "../../base/home/layout.ts";
import { giveToGroup } from "../../base/home/readers.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import type { Limits } from "./limits.ts";
import { openCopy } from "./open.ts";
import { describeCause } from "./fault.ts";
import { queryFile, type Row } from "../../base/sql/statements.ts";
import { keepAsOlder, patchOlder, removeOlder } from "./publish-blocks.ts";
import { removeDatabase } from "./wal.ts";

/** What the published copy must hold; taken from the writer before it closes. */
export type Contents = Readonly<Row>;

/**
 * What a run did: rows were added, and steps may follow from them (`grown`); a few were added, and nothing follows
 * (`noted`); rows may have been removed (`changed`); all was made again, or is to be compared byte by byte (`rewritten`).
 */
export type Change = "grown" | "noted" | "changed" | "rewritten";

type Paths = Pick<Home, "warehouse" | "published" | "draft" | "readers">;

const readable = 0o440;

/** Counts the rows of the writer's tables, for the comparison after the copy. */
export async function readContents(connection: DuckDBConnection): Promise<Contents> {
  return (await queryFile(connection, "queries/publish/published.sql#contents"))[0]!;
}

const headBytes = 12_288;

/**
 * Checks whether the published file is an identical copy of the closed warehouse. The header of a database counts its
 * checkpoints and names where its tables are; a checkpoint without changes does not alter it. Only `everyByte` finds
 * damage.
 */
export async function isPublished(
  { warehouse, published }: Pick<Paths, "warehouse" | "published">,
  everyByte = false,
): Promise<boolean> {
  if (!existsSync(published) || existsSync(`${published}.wal`)) return false;
  const [own, other] = [await stat(warehouse), await stat(published)];
  if (own.size !== other.size || !readHead(warehouse).equals(readHead(published))) return false;
  return !everyByte || (await findFirstDifference(warehouse, published)) === undefined;
}

function readHead(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(file, head, 0, headBytes, 0));
  } finally {
    closeSync(file);
  }
}

// A smaller file is copied in no time.
const largeBytes = 64 * 1024 * 1024;

/**
 * Copies the closed warehouse, compares the bytes, and renames the copy into place: readers never wait and never see a
 * part. The warehouse must be checkpointed and closed. If anything fails, the old file stays. A large copy is reused
 * next time if rows were only added, and removed if rows may have been deleted. `print` reports a log that another
 * program left beside the old file.
 */
export async function publish(
  paths: Paths,
  { change, leastBytes = largeBytes }: { readonly change: Change; readonly leastBytes?: number },
  expected: Contents,
  limits: Limits,
  print: Print,
): Promise<void> {
  const { published, draft } = paths;
  removeDatabase(draft);
  let isReplaced = false;
  try {
    await makeDraft(paths, change, expected, limits);
    await putInPlace(draft, published, async () => {
      removeLog(published, print);
      removeOlder(published);
      if (await isWorthPatching(paths, change, leastBytes)) keepAsOlder(published);
      await rename(draft, published);
      isReplaced = true;
    });
  } catch (error) {
    removeDatabase(draft);
    if (error instanceof AuditlakeError) throw error;
    if (isReplaced)
      throw new AuditlakeError(
        `published ${published}, but a power cut may bring the old file back: ${getMessage(error)}; run ${formatCommand("publish")}`,
      );
    throw new AuditlakeError(
      `cannot publish ${published}: ${getMessage(error)}; the old file stays; free disk space or correct the permissions, then run ${formatCommand("publish")}`,
    );
  }
}

function addsOnly(change: Change): boolean {
  return change === "grown" || change === "noted";
}

// Where files can share blocks a copy costs nothing.
async function isWorthPatching(
  { published }: Paths,
  change: Change,
  leastBytes: number,
): Promise<boolean> {
  const bytes = statSync(published, { throwIfNoEntry: false })?.size ?? 0;
  return addsOnly(change) && bytes >= leastBytes && !(await canShareBlocks(dirname(published)));
}

// By the blocks that changed, or whole: also where the older file turns out to be damaged.
async function makeDraft(
  paths: Paths,
  change: Change,
  expected: Contents,
  limits: Limits,
): Promise<void> {
  const { warehouse, draft, readers } = paths;
  const isPatched = addsOnly(change) && (await patchOlder(paths));
  if (!isPatched) await copyCompared(warehouse, draft);
  try {
    await verifyDraft(draft, warehouse, expected, limits);
  } catch (error) {
    if (!isPatched) throw error;
    removeDatabase(draft);
    await copyCompared(warehouse, draft);
    await verifyDraft(draft, warehouse, expected, limits);
  }
  chmodSync(draft, readable);
  if (readers !== undefined) giveToGroup(draft, readers, readable);
}

/**
 * Secures a published file that stays: the run that put it in place may have ended before its name was on the disk, or
 * have published it for another group than that of the configuration.
 */
export async function securePublished({
  published,
  readers,
}: Pick<Home, "published" | "readers">): Promise<void> {
  await syncFolder(dirname(published));
  if (readers !== undefined) giveToGroup(published, readers, readable);
}

// It belongs to the file that goes; beside the new one it would keep readers from opening that.
function removeLog(published: string, print: Print): void {
  if (existsSync(`${published}.wal`)) print(warning("log_removed", { log: `${published}.wal` }));
  rmSync(`${published}.wal`, { force: true });
}

async function verifyDraft(
  draft: string,
  warehouse: string,
  expected: Contents,
  limits: Limits,
): Promise<void> {
  let found: Contents;
  try {
    await using database = await openCopy(draft, limits);
    found = await readContents(database.connection);
  } catch (error) {
    throw new AuditlakeError(
      `the copy of ${warehouse} cannot be read: ${describeCause(getMessage(error))}; the old published file stays; run ${formatCommand("rebuild")} to rebuild the warehouse from the stored pages`,
    );
  }
  const differs = Object.keys(expected).filter((name) => found[name] !== expected[name]);
  if (differs.length > 0)
    throw new AuditlakeError(
      `the copy of ${warehouse} differs in ${differs.join(", ")}; the old published file stays; run ${formatCommand("publish")} to retry`,
    );
}

/** Reads every column of every table, and so checks every block; throws the database's error for a damaged one. */
export async function readWhole(connection: DuckDBConnection): Promise<void> {
  for (const { table_name: table } of await queryFile(
    connection,
    "queries/publish/published.sql#tables",
  ))
    await connection.runAndReadAll(
      `select bit_xor(hash(columns(*))) from ${quoteName(String(table))}`,
    );
}
