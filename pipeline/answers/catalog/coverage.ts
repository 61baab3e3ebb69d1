import type { DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { renderRows } from "../report/formats.ts";
import { printable } from "../../base/printable.ts";
import { factsTable, firstOf, type Sink } from "../report/result.ts";
import { type Facts, factsOf, ofSource } from "../../base/sql/facts.ts";
import { wrapped } from "../../base/terminal/amounts.ts";

const queries = [
  "events_by_match",
  "unknown_events",
  "undocumented_operations",
  "unknown_fields",
  "events_never_seen",
] as const;

/** How well the reference fits the published data, by the name of each query. */
type Coverage = Readonly<Record<(typeof queries)[number], readonly Facts[]>>;

/** How well the reference fits what a home has published, of the source that was chosen or of all. */
export async function publishedCoverage({ home, config, flags }: Settings): Promise<Coverage> {
  await using database = await openPublished(home.published, readLimits(config));
  return await readCoverage(database.connection, flags.source);
}

/** Asks the queries of `queries/coverage/`, of one source or of all. */
export async function readCoverage(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Coverage> {
  const coverage: Partial<Record<keyof Coverage, readonly Facts[]>> = {};
  for (const name of queries)
    coverage[name] = await factsOf(
      connection,
      `queries/coverage/coverage.sql#${name}`,
      ofSource(source),
    );
  return coverage as Coverage;
}

/** Writes the coverage for reading, within the width of the terminal. */
export async function printCoverage(
  coverage: Coverage,
  sink: Sink,
  columns: number,
): Promise<void> {
  const table = async (title: string, facts: readonly Facts[]): Promise<void> => {
    const first = firstOf(title, facts);
    await sink(`${first.title}\n`);
    if (facts.length === 0) return sink("  none\n\n");
    await renderRows("table", factsTable(first.facts), sink, { columns });
    await sink("\n");
  };
  await table("Events by how they fit the reference", coverage.events_by_match);
  await table("Events that the reference does not have", coverage.unknown_events);
  await table("Operations that the reference does not list", coverage.undocumented_operations);
  await table("Fields kept in extra", coverage.unknown_fields);
  await sink(neverSeenText(coverage.events_never_seen));
  await sink(nextStep(coverage));
}

// A user's own catalog can name what the reference does not have; nothing is lost until then.
function nextStep(coverage: Coverage): string {
  const isLacking = coverage.unknown_events.length + coverage.undocumented_operations.length > 0;
  if (!isLacking) return "";
  return `
Next: describe them in a file of the form of schemas/catalog/*.json, name it as
catalog.extra in the configuration (schemas/README.md), and run auditlake
ingest: the events that it concerns are matched again. Until then they are in
the table events all the same, under their recorded names.
`;
}

function neverSeenText(facts: readonly Facts[]): string {
  const areas = Map.groupBy(facts, ({ area }) => String(area));
  const lines = [...areas].flatMap(([area, events]) => [
    `  ${printable(area)}`,
    ...wrapped(
      events.map(({ event_name: name }) => printable(String(name))),
      74,
    ).map((line) => `    ${line}`),
  ]);
  return `${[`Events of the reference that were never seen: ${facts.length}`, ...lines].join("\n")}\n`;
}
