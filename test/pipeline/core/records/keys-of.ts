import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stageTo } from "../../../support/stage.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { runFile } from "../../../../pipeline/base/sql/statements.ts";
import { catalog } from "../../../../schemas/generated/catalog.ts";
import { toIncomingSql } from "../../../../schemas/generators/incoming.ts";
import { type IdentityFields } from "../../../../schemas/generators/key.ts";
import identity from "../../../../schemas/identity.json" with { type: "json" };
import { temporaryFolder } from "../../../support/load.ts";

export const identityFields = identity.fields as IdentityFields;
/** Names that no field has, for what the catalog does not know. */
export const unknownNames = [
  "shade",
  "größe",
  'we"ird',
  "it's",
  "a b",
  "page",
  "others",
  "text_count",
  "\ud83d\ude00",
];

/** The keys that the load gives to records, in their order. */
export type KeysOf = (
  records: readonly string[],
  options?: {
    readonly fields?: readonly string[];
    readonly source?: string;
  },
) => Promise<string[]>;

/** A database that gives keys; to be disposed of. */
export async function newKeys(): Promise<AsyncDisposable & { readonly keysOf: KeysOf }> {
  const folder = temporaryFolder();
  const database = await openInMemory({ memoryLimit: "500MB", threads: 1 });
  await runFile(database.connection, "queries/load/macros.sql");
  let batches = 0;
  const listKeys: KeysOf = async (records, options = {}) => {
    const { fields = Object.keys(catalog.fields), source = "s" } = options;
    const batch = join(folder.path, String((batches += 1)));
    mkdirSync(batch);
    const file = join(batch, "0.ndjson");
    const bytes = Buffer.from(records.map((record) => `${record}\n`).join(""));
    const rules = { identity: identityFields, maxRecordBytes: 1_000_000 };
    const { rejects } = stageTo(bytes, { format: "ndjson", recordsAt: null }, rules, file);
    if (rejects.length > 0) throw new Error(JSON.stringify(rejects[0]));
    const columns = Object.fromEntries(
      Object.entries(catalog.fields).filter(([name]) => fields.includes(name)),
    );
    await database.connection.run(toIncomingSql(columns, identityFields));
    const sql = "select record_key from incoming($file, 2000000, $source) order by record_number";
    const rows = await database.connection.runAndReadAll(sql, { file, source });
    return rows.getRows().map(([value]) => String(value));
  };
  return {
    keysOf: listKeys,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      folder.remove();
    },
  };
}
