import { isDeepStrictEqual } from "node:util";
import { AuditlakeError } from "../../base/errors.ts";
import { type Action, entryName, readEntry } from "./log.ts";
import { type Snapshot, tag } from "./snapshot.ts";
import type { Store } from "./store.ts";

const features = { readerFeatures: ["timestampNtz"], writerFeatures: ["timestampNtz"] };

/** What the tables ask of their readers and writers. */
export const protocol = { minReaderVersion: 3, minWriterVersion: 7, ...features };

/**
 * What somebody else has done to a table since a version, in a few words after its name; undefined where nobody has. It
 * holds files that no auditlake has put there, has an entry of another program, or asks something else of its readers.
 */
export async function foreignIn(
  store: Store,
  table: string,
  found: Snapshot,
  since: number,
): Promise<string | undefined> {
  const { files, version } = found;
  const foreign = [...files.values()].find(({ tags }) => tags?.[tag.ingester] === undefined);
  if (foreign !== undefined)
    return `(version ${version}) holds ${foreign.path}, which no auditlake put there`;
  if (found.protocol !== undefined && !isDeepStrictEqual(found.protocol, protocol))
    return `(version ${version}) asks of its readers what no auditlake asks`;
  return strangeEntry(store, table, since, version);
}

// One that only takes files out leaves nothing in the table by which it could be told.
async function strangeEntry(
  store: Store,
  table: string,
  since: number,
  version: number,
): Promise<string | undefined> {
  for (let each = since + 1; each <= version; each++) {
    const name = entryName(table, each);
    const bytes = await store.get(name);
    // Before the first publication a vacuum of ours may have taken what is before a checkpoint.
    if (bytes === undefined && since < 0) continue;
    if (bytes === undefined) return `(version ${each}) lacks its entry in the log`;
    if (!readEntry(name, bytes).some(isOurs))
      return `(version ${each}) was written by no auditlake`;
  }
  return undefined;
}

const isOurs = ({ commitInfo }: Action): boolean => commitInfo?.auditlake !== undefined;

/** Throws AuditlakeError where somebody else has written a table since a version. */
export async function refuseForeign(
  store: Store,
  table: string,
  found: Snapshot,
  since: number,
): Promise<void> {
  const what = await foreignIn(store, table, found, since);
  if (what === undefined) return;
  throw new AuditlakeError(
    `table ${table} of the lake ${what}; nothing was changed: take back what another program did (it must not optimize or write these tables), or choose another lake.location`,
  );
}
