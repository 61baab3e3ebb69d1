import { type Notice, warning } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { Manifest } from "../landing/manifests.ts";
import { readSourceId, recordSourceId } from "../store/ledger/coverage.ts";

/**
 * Returns a source with what names its records: as configured, else as its stored rows have it. Throws UsageError where
 * they have it otherwise: each record would then come in a second time, under another key.
 */
export async function withStoredId(
  connection: DuckDBConnection,
  source: NamedSource,
): Promise<NamedSource> {
  const { name, audits } = source;
  const { idAt, hasReads } = await readSourceId(connection, name);
  if (audits.id_at === null || audits.id_at === idAt)
    return { ...source, audits: { ...audits, id_at: idAt } };
  if (hasReads)
    throw new UsageError(
      `the stored events of source ${name} are identified by ${idAt ?? "id"}, not by ${audits.id_at}; set sources.${name}.audits.id_at to ${JSON.stringify(audits.id_at)} and run "${formatCommand("rebuild")}", which identifies all events by it`,
    );
  await recordSourceId(connection, name, audits.id_at);
  return source;
}

/** Proposes what names the records of a source, where they have no `id`. */
export function formatIdProposal({ name }: Pick<NamedSource, "name">, idAt: string): string {
  return `records of source ${name} have no id, and ${idAt} is different in each examined record: if it identifies the record, set sources.${name}.audits.id_at to ${JSON.stringify(idAt)} and run "${formatCommand("rebuild")}", or undo the import and repeat it with --id-at ${idAt}`;
}

/** Warns of records that a run counted as known although their unknown fields differ. */
export function warnOfUnlikeIds(
  unlike: number,
  { name, audits }: Pick<NamedSource, "name" | "audits">,
): Notice[] {
  const facts = { source: name, records: unlike, id_at: audits.id_at };
  return unlike === 0 ? [] : [warning("records_unlike", facts, ["rebuild"])];
}

/** Finds what names the records of each source for a rebuild: as configured, else as its newest read has it. */
export function chooseIds(
  manifests: readonly Manifest[],
  configured: (source: string) => string | null,
): Map<string, string> {
  const chosen = new Map<string, string>();
  for (const { source, id_at: idAt } of manifests) {
    const path = configured(source) ?? idAt ?? null;
    if (path !== null) chosen.set(source, path);
  }
  return chosen;
}
