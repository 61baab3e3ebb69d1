import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readAsset } from "../../base/home/assets.ts";
import type { Manifest } from "../../core/landing/manifests.ts";
import { formatBytes, formatCount } from "../../base/terminal/amounts.ts";
import { newFailed, type Finding, newPassed, warn } from "./finding.ts";
import { statSync } from "node:fs";
import { canShareBlocks, findFirstDifference } from "../../base/home/copy.ts";
import { getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState } from "../../base/home/lock.ts";
import type { Database } from "../../core/store/open.ts";
import { describeCause } from "../../core/store/fault.ts";
import { isPublished, readWhole } from "../../core/store/publish.ts";

const compared = [
  "source",
  "run_id",
  "window_start",
  "window_end",
  "read_at",
  "server_time",
] as const;

// What the ledger holds of a read, by the names of its manifest; times as the database writes them.
type LedgerRead = Pick<Manifest, "read_id" | (typeof compared)[number]> & {
  readonly pages: readonly Pick<Manifest["pages"][number], "sha256" | "bytes">[];
};

/**
 * Compares each manifest with the ledger entry of its read: source, run, window, times, pages with SHA-256 and bytes. A
 * changed manifest would change the result of a rebuild. Yields a finding for each kind of difference. Skips `known`
 * reads, whose manifest was pruned, is damaged or quarantined; while a run is active, also reads missing in the ledger,
 * since they are stored before they are loaded.
 */
export async function readFindings(
  connection: DuckDBConnection,
  {
    manifests,
    known,
    isAtWork,
  }: {
    readonly manifests: readonly Manifest[];
    readonly known: ReadonlySet<string>;
    readonly isAtWork: boolean;
  },
): Promise<Finding[]> {
  const ledger = await listLedgerReads(connection);
  const landed = new Set(manifests.map(({ read_id: id }) => id));
  const changed = manifests.flatMap((manifest) => {
    const held = ledger.get(manifest.read_id);
    const keys = held === undefined ? [] : listDiffering(manifest, held);
    return keys.length > 0 ? [`${manifest.read_id} in ${keys.join(", ")}`] : [];
  });
  const added = [...landed].filter((id) => !ledger.has(id));
  const removed = [...ledger.keys()].filter((id) => !landed.has(id) && !known.has(id));
  return [
    ...buildFinding(
      changed,
      "differ from the ledger",
      "restore them from a backup before the next rebuild; without a backup, re-read their windows",
    ),
    ...buildFinding(
      removed,
      "are missing, but the ledger has their reads",
      "restore them from a backup; otherwise rebuild needs --carry-over",
    ),
    // A stopped run leaves such files, too: their origin is unknown.
    ...buildFinding(
      isAtWork ? [] : added,
      "belong to reads that are not in the ledger",
      `if a run was interrupted, ${formatCommand("ingest")} loads them; otherwise move them away first, because another program put them there`,
      warn,
    ),
  ];
}

function buildFinding(
  found: readonly string[],
  what: string,
  advice: string,
  level: typeof warn = newFailed,
): Finding[] {
  if (found.length === 0) return [];
  const shown = found.slice(0, 5).join("; ") + (found.length > 5 ? "; and more" : "");
  return [
    level("manifests", `${formatCount(found.length, "manifest")} ${what}: ${shown}; ${advice}`),
  ];
}

function listDiffering(manifest: Manifest, held: LedgerRead): string[] {
  const keys: string[] = compared.filter((key) => toMoment(manifest[key]) !== toMoment(held[key]));
  const formatPages = (pages: LedgerRead["pages"]): string =>
    pages.map(({ sha256, bytes }) => `${sha256} ${bytes}`).join();
  return formatPages(manifest.pages) === formatPages(held.pages) ? keys : [...keys, "pages"];
}

// A moment may be written with or without the zeros of its fraction.
function toMoment(text: string | null): string | null {
  return text?.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") ?? null;
}

async function listLedgerReads(connection: DuckDBConnection): Promise<Map<string, LedgerRead>> {
  const reader = await connection.runAndReadAll(readAsset("queries/status/reads.sql"));
  const reads = reader.getRowObjectsJson().map((row) => {
    const pages = JSON.parse(String(row["page_list"])) as LedgerRead["pages"];
    return { ...(row as unknown as LedgerRead), pages };
  });
  return new Map(reads.map((one) => [one.read_id, one]));
}

export async function checkPublishing({ root, published }: Home): Promise<Finding> {
  if (await canShareBlocks(root))
    return newPassed("publishing", "the file system shares blocks: a copy takes no space");
  const size = formatBytes(statSync(published).size);
  return newPassed("publishing", `the file system shares no blocks: each run copies ${size}`);
}

/** Whether every block of the published file can be read, and whether the warehouse holds the same. */
export async function checkBlocks(home: Home, { connection }: Database): Promise<Finding> {
  const { warehouse, published } = home;
  const cause = await readWhole(connection).then(
    () => undefined,
    (error: unknown) => describeCause(getMessage(error)),
  );
  const isCopy = lockState(home.lock).state === "free" && (await isPublished(home));
  const at = isCopy ? await findFirstDifference(warehouse, published) : undefined;
  if (cause !== undefined) {
    const verb = isCopy && at === undefined ? "rebuild" : "publish";
    return newFailed("blocks", `${published} is damaged: ${cause}; run auditlake ${verb}`);
  }
  if (at !== undefined)
    return newFailed(
      "blocks",
      `${warehouse} differs from its complete copy at byte ${at}; run ${formatCommand("rebuild")}`,
    );
  return newPassed(
    "blocks",
    isCopy ? "all can be read, the warehouse is identical" : "all can be read",
  );
}
