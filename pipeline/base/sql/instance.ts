import { DuckDBInstance } from "@duckdb/node-api";
import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";

// The library decodes each text with one `TextDecoder`, which takes a first U+FEFF for the mark of a file and drops it
// (@duckdb/node-api 1.5.6, lib/vectors/dataAccessors.js). Two texts that differ in it alone would come out as one.
Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });

/** Opens a database whose texts come out as they are stored. */
export async function openInstance(
  path: string,
  options: Readonly<Record<string, string>>,
): Promise<DuckDBInstance> {
  return DuckDBInstance.create(path, options);
}
