import { formatCommand } from "../../base/command-line.ts";
import { existsSync, readdirSync } from "node:fs";
import type { Home } from "../../base/home/layout.ts";
import { listTombstones, listPrunedReads, type Tombstone } from "../../core/landing/tombstones.ts";
import {
  type Manifest,
  listMissingPages,
  readManifests,
  listSetAside,
} from "../../core/landing/manifests.ts";
import { getPageFile, type LandedPage, readPage } from "../../core/landing/store.ts";
import { lockState } from "../../base/home/lock.ts";
import { listLoadedReads } from "../../core/store/ledger/record.ts";
import type { Database } from "../../core/store/open.ts";
import { getMessage } from "../../base/errors.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { stampText } from "../../base/time/text.ts";
import { readFindings } from "./reads.ts";
import { newFailed, newFailedWith, type Finding, newPassed, warn } from "./finding.ts";

/**
 * Whether everything landed is there and loaded, and from when on landing alone gives the database. `deep`
 * reads every page and checks it against its name, and each manifest against the ledger.
 */
export async function* checkLanding(
  home: Home,
  published: Database | undefined,
  deep: boolean,
): AsyncGenerator<Finding> {
  let tombstones: Tombstone[];
  let read: ReturnType<typeof readManifests>;
  try {
    tombstones = listTombstones(home.landing);
    read = readManifests(home.landing);
  } catch (error) {
    return yield newFailedWith("landing", error);
  }
  const pruned = new Set(tombstones.flatMap(({ reads }) => reads.map(({ read_id: id }) => id)));
  const { manifests: all, damaged } = read;
  // An active prune removes pages before their manifests.
  const manifests = all.filter(({ read_id: id }) => !pruned.has(id));
  yield* checkPages(home, manifests, damaged, deep);
  const loaded = published ? await listLoadedReads(published.connection) : new Set<string>();
  yield checkPending(home, manifests.filter(({ read_id: id }) => !loaded.has(id)).length);
  const landed = new Set([...manifests.map(({ read_id: id }) => id), ...damaged]);
  yield rebuildFinding(tombstones, pruned, landed, loaded, published !== undefined);
  yield* checkDamaged(home);
  if (!deep || published === undefined) return;
  const setAside = listSetAside(home.landing).map((name) => name.replace(/\.json\.[^.]*$/, ""));
  const found = await readFindings(published.connection, {
    manifests,
    known: new Set([...pruned, ...damaged, ...setAside]),
    isAtWork: lockState(home.lock).state === "held",
  });
  if (found.length === 0) yield newPassed("manifests", "all match the ledger");
  else yield* found;
}

async function* checkPages(
  { landing }: Home,
  manifests: readonly Manifest[],
  damaged: readonly string[],
  deep: boolean,
): AsyncGenerator<Finding> {
  const reads = formatCount(manifests.length, "read");
  const found: Finding[] = [];
  if (damaged[0] !== undefined)
    found.push(
      newFailed(
        "landing",
        `${formatCount(damaged.length, "manifest")} cannot be read, for example that of read ${damaged[0]}; restore them from a backup; the next ingest moves them aside, and rebuild --carry-over works without them`,
      ),
    );
  const gone = listMissingPages(landing, manifests);
  const [missing, ...more] = new Set(gone.map(({ sha256 }) => sha256));
  if (missing !== undefined)
    found.push(
      newFailed(
        "landing",
        `${formatCount(more.length + 1, "page")} of ${reads} missing, for example ${missing}; restore them from a backup, or re-read their windows`,
      ),
    );
  if (deep)
    for (const one of await checkDamagedPages(landing, manifests, new Set(gone))) found.push(one);
  if (found.length > 0) return yield* found;
  yield newPassed(
    "landing",
    existsSync(landing)
      ? `${reads}, all pages present${deep ? " and intact" : ""}`
      : "no pages stored yet",
  );
}

async function checkDamagedPages(
  landing: string,
  manifests: readonly Manifest[],
  missing: ReadonlySet<LandedPage>,
): Promise<Finding[]> {
  const pages = new Map(
    manifests.flatMap((manifest) =>
      manifest.pages.map((page) => [`${getPageFile(page)} ${page.sha256}`, { page, manifest }]),
    ),
  );
  const found: Finding[] = [];
  for (const { page, manifest } of pages.values()) {
    if (missing.has(page)) continue;
    const error: unknown = await readPage(landing, page).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined)
      found.push(newFailed("landing", `${getMessage(error)}${formatReread(manifest)}`));
  }
  return found;
}

// A window that is read again heals a page that the service still sends as it was.
function formatReread({ source, window_start: start, window_end: end }: Manifest): string {
  if (start === null || end === null) return ": re-import its file";
  return `: ${formatCommand("ingest", "--source", source, "--from", stampText(start), "--to", stampText(end))}`;
}

function checkPending({ lock }: Home, pending: number): Finding {
  if (pending === 0) return newPassed("pending", "every read is loaded");
  if (lockState(lock).state === "held")
    return newPassed("pending", `${formatCount(pending, "read")} being loaded`);
  // A run that could not publish has loaded them all the same.
  return warn(
    "pending",
    `${formatCount(pending, "read")} stored but not in the published file; run ${formatCommand("ingest")} to load and publish them`,
  );
}

function rebuildFinding(
  tombstones: readonly Tombstone[],
  pruned: ReadonlySet<string>,
  landed: ReadonlySet<string>,
  loaded: ReadonlySet<string>,
  isPublished: boolean,
): Finding {
  const taken = listPrunedReads(tombstones);
  const kept = [...pruned].filter((id) => !taken.has(id));
  const lost = isPublished ? kept.filter((id) => !loaded.has(id)).length : 0;
  if (lost > 0)
    return newFailed(
      "rebuild",
      `the events of ${formatCount(lost, "pruned read")} are in no database; restore a copy of warehouse.duckdb that has them`,
    );
  const alone = [...loaded].filter((id) => !landed.has(id) && !pruned.has(id));
  if (alone[0] !== undefined)
    return warn(
      "rebuild",
      `${formatCount(alone.length, "read")} without a manifest, for example ${alone[0]}: only the database has them; keep a copy of it, rebuild needs --carry-over`,
    );
  const latest = tombstones
    .map(({ before }) => before)
    .sort()
    .at(-1);
  if (latest === undefined)
    return newPassed("rebuild", "the complete database can be rebuilt from landing");
  const rest = `only the database has the events of ${formatCount(kept.length, "pruned read")}, keep a copy of it`;
  return newPassed(
    "rebuild",
    `the database can be rebuilt from landing from ${stampText(latest)} on; ${kept.length === 0 ? "events pruned before that were removed, too" : rest}`,
  );
}

// Quarantined files stay until the operator has checked them.
function checkDamaged({ root, landing, published }: Home): Finding[] {
  const names = existsSync(root) ? readdirSync(root) : [];
  const damaged = listSetAside(landing);
  const backups = names.filter((name) => /\.corrupt-|\.damaged-/.test(name));
  const all = [...backups, ...damaged.map((name) => `landing/damaged/${name}`)];
  const found: Finding[] = [];
  if (all[0] !== undefined)
    found.push(
      warn(
        "set_aside",
        `${formatCount(all.length, "damaged file")} moved aside, for example ${all[0]}; remove those that you no longer need`,
      ),
    );
  if (existsSync(`${published}.wal`))
    found.push(
      warn(
        "set_aside",
        `another program opened ${published} for writing; close it there and run ${formatCommand("publish")}`,
      ),
    );
  return found;
}
