import { isDeepStrictEqual } from "node:util";
import { AuditlakeError } from "../../base/errors.ts";
import { type Action, entryName, readEntry } from "./log.ts";
import { type Snapshot, tag } from "./snapshot.ts";
import type { Store } from "./store.ts";

const features = { readerFeatures: ["timestampNtz"], writerFeatures: ["timestampNtz"] };

/** What the tables ask of their readers and writers. */
export const protocol = { minReaderVersion: 3, minWriterVersion: 7, ...features };

/** What an auditlake wrote into a log entry about itself. */
export type OwnCommit = NonNullable<NonNullable<Action["commitInfo"]>["auditlake"]>;

/** The commits to a table since a version, or what another program did to it, in a few words after its name. */
export type Since = { readonly commits: readonly OwnCommit[]; readonly fault?: string };

/**
 * Reads what was done to a table since a version. It is a fault if the table holds files that no auditlake put there, has
 * an entry of another program, or asks something else of its readers.
 */
export async function readSince(
  store: Store,
  table: string,
  { files, version, protocol: asked }: Snapshot,
  since: number,
): Promise<Since> {
  const fault = (text: string, at = version): Since => ({
    commits: [],
    fault: `(version ${at}) ${text}`,
  });
  const foreign = [...files.values()].find(({ tags }) => tags?.[tag.ingester] === undefined);
  if (foreign !== undefined) return fault(`holds ${foreign.path}, which no auditlake put there`);
  if (asked !== undefined && !isDeepStrictEqual(asked, protocol))
    return fault("asks of its readers what no auditlake asks");
  const commits: OwnCommit[] = [];
  for (let each = since + 1; each <= version; each++) {
    const name = entryName(table, each);
    const bytes = await store.get(name);
    // Before the first publication a vacuum of ours may have taken what is before a checkpoint.
    if (bytes === undefined && since < 0) continue;
    if (bytes === undefined) return fault("lacks its entry in the log", each);
    // One that only takes files out leaves nothing in the table by which it could be told.
    const own = readEntry(name, bytes).flatMap(({ commitInfo }) => commitInfo?.auditlake ?? []);
    if (own.length === 0) return fault("was written by no auditlake", each);
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
    `table ${table} of the lake ${fault}; nothing was changed: take back what another program did (it must not optimize or write these tables), or choose another lake.location`,
  );
}
