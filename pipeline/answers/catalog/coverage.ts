import type { DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { renderRows } from "../report/formats.ts";
import { escapeControls } from "../../base/printable.ts";
import { newFactsTable, takeFirst, type Sink } from "../report/result.ts";
import { type Facts, queryFacts, bindSource } from "../../base/sql/facts.ts";
import { wrapWords } from "../../base/terminal/amounts.ts";

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
export async function readPublishedCoverage({ home, config, flags }: Settings): Promise<Coverage> {
  await using database = await openPublished(home.published, readLimits(config));
  return await readCoverage(database.connection, flags.source);
}

/** Runs the queries of `queries/coverage/`, for one source or all. */
export async function readCoverage(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Coverage> {
  const coverage: Partial<Record<keyof Coverage, readonly Facts[]>> = {};
  for (const name of queries)
    coverage[name] = await queryFacts(
      connection,
      `queries/coverage/coverage.sql#${name}`,
      bindSource(source),
    );
  return coverage as Coverage;
}

/** Writes the coverage for reading, within the width of the terminal. */
export async function printCoverage(
  coverage: Coverage,
  sink: Sink,
  columns: number,
): Promise<void> {
  const writeTable = async (title: string, facts: readonly Facts[]): Promise<void> => {
    const first = takeFirst(title, facts);
    await sink(`${first.title}\n`);
    if (facts.length === 0) return sink("  none\n\n");
    await renderRows("table", newFactsTable(first.facts), sink, { columns });
    await sink("\n");
  };
  await writeTable("Events by match with the reference", coverage.events_by_match);
  await writeTable("Events missing from the reference", coverage.unknown_events);
  await writeTable("Operations missing from the reference", coverage.undocumented_operations);
  await writeTable("Fields stored in extra", coverage.unknown_fields);
  await sink(formatNeverSeen(coverage.events_never_seen));
  await sink(adviseNextStep(coverage));
}

// A user's own catalog can name what the reference does not have; nothing is lost until then.
function adviseNextStep(coverage: Coverage): string {
  const isIncomplete = coverage.unknown_events.length + coverage.undocumented_operations.length > 0;
  if (!isIncomplete) return "";
  return `
Next: describe them in a file of the form of schemas/catalog/*.json, name it as
catalog.extra in the configuration (schemas/README.md), and run auditlake
ingest: the events that it concerns are matched again. Until then they are in
the table events all the same, under their recorded names.
`;
}

function formatNeverSeen(facts: readonly Facts[]): string {
  const areas = Map.groupBy(facts, ({ area }) => String(area));
  const lines = [...areas].flatMap(([area, events]) => [
    `  ${escapeControls(area)}`,
    ...wrapWords(
      events.map(({ event_name: name }) => escapeControls(String(name))),
      74,
    ).map((line) => `    ${line}`),
  ]);
  return `${[`Events of the reference that were never seen: ${facts.length}`, ...lines].join("\n")}\n`;
}
