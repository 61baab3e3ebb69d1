import { formatCommand } from "../../base/command-line.ts";
import { randomUUID } from "node:crypto";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import { readToolVersion } from "../../base/home/version.ts";
import {
  type Action,
  type AddFile,
  formatEntryName,
  type MetaData,
  readEntry,
  writeEntry,
} from "./log.ts";
import { applyActions, readSnapshot, type Snapshot, tag } from "./snapshot.ts";
import type { Store } from "./store.ts";
import { isDeepStrictEqual } from "node:util";

export type Committer = {
  readonly store: Store;
  readonly ingester: string;
  readonly nowMs: number;
  /** The newest read of the database. It identifies an older copy of the database if no publication followed. */
  readonly newestRead?: string | null;
};

export type Change = {
  readonly table: string;
  readonly dayColumn: string | undefined;
  readonly schema: string;
  readonly add: readonly AddFile[];
  readonly remove: readonly AddFile[];
};

// Of so many others in a row each must have been quicker by the time of one request.
const attempts = 100;

/**
 * Commits a change as one new entry in the log of the table, atomic for readers. If another ingester commits first,
 * uses the next version. Returns the version. Throws AuditlakeError, with exit code 5 if another process publishes for
 * the same ingester.
 */
export async function commitChange(
  change: Change,
  before: Snapshot,
  { store, ingester, nowMs, newestRead }: Committer,
): Promise<Snapshot> {
  const publish = randomUUID();
  const who = { ingester, publish, newest_read: newestRead ?? null };
  let snapshot = before;
  for (let n = 0; n < attempts; n++) {
    const version = snapshot.version + 1;
    const info = {
      timestamp: nowMs,
      operation: "WRITE",
      engineInfo: `auditlake/${readToolVersion()}`,
    };
    const actions: Action[] = [
      { commitInfo: { ...info, operationParameters: {}, auditlake: who } },
      ...buildTableActions(change, snapshot, nowMs),
      ...change.remove.map((file) => ({ remove: toRemove(file, nowMs) })),
      ...change.add.map((file) => ({ add: file })),
    ];
    if (await store.putIfAbsent(formatEntryName(change.table, version), writeEntry(actions)))
      return applyActions(snapshot, version, actions);
    snapshot = await readOthers(change, snapshot, ingester, store);
  }
  throw new AuditlakeError(
    `table ${change.table} of the lake was changed ${attempts} times while this change waited; run ${formatCommand("lake", "publish")} again`,
  );
}

function toRemove({ path, partitionValues, size }: AddFile, nowMs: number): Action["remove"] {
  return {
    path,
    deletionTimestamp: nowMs,
    dataChange: true,
    extendedFileMetadata: true,
    partitionValues,
    size,
  };
}

// A new table starts with its protocol and columns; an existing table only gets new columns.
function buildTableActions(
  { table, schema, dayColumn }: Change,
  found: Snapshot,
  nowMs: number,
): Action[] {
  const { metaData } = found;
  if (metaData === undefined) {
    const format = { provider: "parquet", options: {} };
    const partitionColumns = dayColumn === undefined ? [] : [dayColumn];
    const rest = { partitionColumns, configuration: {}, createdTime: nowMs };
    return [
      { protocol },
      { metaData: { id: randomUUID(), format, schemaString: schema, ...rest } },
    ];
  }
  if (!isMissingColumns(table, schema, metaData)) return [];
  return [{ metaData: { ...metaData, schemaString: schema } }];
}

type Field = { readonly name: string; readonly type: unknown };

/**
 * Checks whether columns are missing in a table of the lake. Throws AuditlakeError if it has other columns or types.
 */
export function isMissingColumns(
  table: string,
  schema: string,
  { schemaString }: MetaData,
): boolean {
  const own = listFields(schema);
  const there = listFields(schemaString);
  for (const [name, type] of there)
    if (own.get(name) !== type)
      throw new AuditlakeError(
        `table ${table} of the lake has a column ${name} of type ${type}, expected ${own.get(name) ?? "none"}; a newer auditlake may have created it: install that version, or choose another lake.location`,
      );
  return there.size < own.size;
}

function listFields(schema: string): Map<string, string> {
  const { fields } = JSON.parse(schema) as { readonly fields: readonly Field[] };
  return new Map(fields.map(({ name, type }) => [name, JSON.stringify(type)]));
}

async function readOthers(
  { table, remove }: Change,
  before: Snapshot,
  ingester: string,
  store: Store,
): Promise<Snapshot> {
  const name = formatEntryName(table, before.version + 1);
  const bytes = await store.get(name);
  const by = bytes && readEntry(name, bytes).find(({ commitInfo }) => commitInfo)?.commitInfo;
  if (by?.auditlake?.ingester === ingester)
    throw new AuditlakeError(
      `another publisher of this ingester committed version ${before.version + 1} of table ${table}; it contains nothing of this run; wait until the other one has finished, then run ${formatCommand("lake", "publish")} again`,
      exitCode.locked,
    );
  const after = await readSnapshot(store, table, { from: before });
  await refuseForeign(store, table, after, before.version);
  if (remove.every(({ path }) => after.files.has(path))) return after;
  throw new AuditlakeError(
    `version ${after.version} of table ${table} is missing files of this ingester; another program removed them: run ${formatCommand("lake", "publish")} again`,
  );
}

const features = { readerFeatures: ["timestampNtz"], writerFeatures: ["timestampNtz"] };

/** What the tables ask of their readers and writers. */
const protocol = { minReaderVersion: 3, minWriterVersion: 7, ...features };

type OwnCommit = NonNullable<NonNullable<Action["commitInfo"]>["auditlake"]>;

/** The commits to a table since a version, or what another program did to it, in a few words after its name. */
type LaterCommits = { readonly commits: readonly OwnCommit[]; readonly fault?: string };

/**
 * Reads the changes of a table since a version. Faults are: files that no auditlake put there, entries of another
 * program, other requirements on readers.
 */
export async function readSince(
  store: Store,
  table: string,
  { files, version, protocol: asked }: Snapshot,
  since: number,
): Promise<LaterCommits> {
  const newFault = (text: string, at = version): LaterCommits => ({
    commits: [],
    fault: `(version ${at}) ${text}`,
  });
  const foreign = [...files.values()].find(({ tags }) => tags?.[tag.ingester] === undefined);
  if (foreign !== undefined) return newFault(`has ${foreign.path}, which another program wrote`);
  if (asked !== undefined && !isDeepStrictEqual(asked, protocol))
    return newFault("has reader requirements that auditlake does not set");
  const commits: OwnCommit[] = [];
  for (let each = since + 1; each <= version; each++) {
    const name = formatEntryName(table, each);
    const bytes = await store.get(name);
    // Before the first publication, our own vacuum may have removed the entries before a checkpoint.
    if (bytes === undefined && since < 0) continue;
    if (bytes === undefined) return newFault("has no entry in the log", each);
    // An entry that only removes files leaves no other mark in the table.
    const own = readEntry(name, bytes).flatMap(({ commitInfo }) => commitInfo?.auditlake ?? []);
    if (own.length === 0) return newFault("was written by another program", each);
    commits.push(...own);
  }
  return { commits };
}

/** The commits to a table since a version; throws AuditlakeError if another program has written it. */
export async function refuseForeign(
  store: Store,
  table: string,
  found: Snapshot,
  since: number,
): Promise<readonly OwnCommit[]> {
  const { commits, fault } = await readSince(store, table, found, since);
  if (fault === undefined) return commits;
  throw new AuditlakeError(
    `table ${table} of the lake ${fault}; nothing was changed: revert the changes of the other program (it must not optimize or write these tables), or choose another lake.location`,
  );
}
