import type { DuckDBConnection } from "@duckdb/node-api";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { sourcesOf } from "../store/of-source.ts";

/**
 * What to say where a run begins a source that is neither configured nor known, beside others that are. Its name may be
 * mistyped, and what is stored under it stays there.
 */
export async function newSourceLine(
  connection: DuckDBConnection,
  { name }: NamedSource,
  { config }: Settings,
): Promise<string | undefined> {
  if (Object.hasOwn(config.sources, name)) return undefined;
  const known = await sourcesOf(connection);
  if (known.length === 0 || known.includes(name)) return undefined;
  return `source ${name} is new here, known: ${known.join(", ")}; was another one meant, choose it with --source`;
}
