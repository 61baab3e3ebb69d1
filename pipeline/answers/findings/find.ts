import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCommand } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { NewDecision } from "../../core/detect/decisions.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";

const shape = {
  findingId: text,
  detection: text,
  severity: text,
  title: text,
  message: text,
  source: text,
  subjectKind: text,
  subject: text,
  key: text,
  firstAt: text,
  lastAt: text,
  firstMoment: text,
  lastMoment: text,
  hits: count,
  measures: text,
  state: text,
  stateReason: nullable(text),
  closedAs: nullable(text),
  suppressedBy: nullable(text),
  raisedAt: text,
  notifiedAt: nullable(text),
  attack: text,
  next: nullable(text),
  runbook: nullable(text),
};

/** A finding as its page shows it; times to the second in UTC. */
export type Finding = Awaited<ReturnType<typeof findFinding>>;

/** Finds a finding by its id or a unique prefix. Throws UsageError for none or several. */
export async function findFinding(connection: DuckDBConnection, id: string) {
  if (!/^[0-9a-f]{4,16}$/.test(id))
    throw new UsageError(
      `${JSON.stringify(id)} is no id of a finding; expected its first 4 to 16 digits, as ${formatCommand("findings")} prints them`,
    );
  const rows = await queryRows(connection, "queries/findings/show.sql#find", shape, { id });
  const [found, second] = rows;
  if (found === undefined)
    throw new UsageError(
      `no finding has an id that begins with ${id}; ${formatCommand("findings", "--state", "all")} lists all`,
    );
  if (second !== undefined)
    throw new UsageError(
      `${rows.length} findings have an id that begins with ${id}: ${rows.map((row) => row.findingId).join(", ")}; give more digits`,
    );
  return found;
}

/** The findings of ids, as a decision names them: by key and times. Throws what `findFinding` throws. */
export async function identifyFindings(
  ids: readonly string[],
  { home, config }: Settings,
): Promise<NamedFinding[]> {
  await using database = await openPublished(home.published, readLimits(config));
  const found = new Map<string, NamedFinding>();
  for (const id of ids) {
    const finding = await findFinding(database.connection, id);
    found.set(finding.findingId, nameFinding(finding));
  }
  return [...found.values()];
}

type NamedFinding = Partial<NewDecision> & Pick<NewDecision, "detection">;

export function nameFinding(finding: Finding): NamedFinding {
  return {
    detection: finding.detection,
    source: finding.source,
    key: finding.key,
    first_at: finding.firstMoment,
    last_at: finding.lastMoment,
    finding_id: finding.findingId,
  };
}

/** How many findings a suppression covers in the published file. */
export async function countSuppressed(
  suppressionId: string,
  { home, config }: Settings,
): Promise<number> {
  await using database = await openPublished(home.published, readLimits(config));
  const path = "queries/findings/show.sql#covered";
  const values = { id: suppressionId };
  const [row] = await queryRows(database.connection, path, { findings: count }, values);
  return row!.findings;
}
