import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { resolveHome, type Home } from "../../../pipeline/base/home/layout.ts";
import { run } from "../../support/command.ts";
import { leftovers } from "../kill-phase.ts";
import type { Truth } from "../log.ts";
import { compare, look, withPublished, type Query } from "../store.ts";

/** What a state may hold, and how a command line is called on it. */
export type Case = {
  readonly root: string;
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Contents that the published file may have; undefined where it may be missing. */
  readonly published: readonly (Truth | undefined)[];
  /** Contents that the next ingest may lead to. */
  readonly healed: readonly Truth[];
  /** Whether the sums of the ledger are those of the events. */
  readonly isSummed: boolean;
  /** What was delivered, by its path; undefined where a run may have more to deliver. */
  readonly delivered: ReadonlyMap<string, Buffer> | undefined;
  /** Whether the next run is to be seen, too. */
  readonly isHealed: boolean;
  readonly isDoctored: boolean;
  readonly isRebuilt: boolean;
};

// A log or a database that was torn is kept, and what it held is loaded again.
const isMovedAside = (name: string): boolean => /\.(wal\.corrupt|damaged)-/.test(name);
// What activations and deliveries remember.
const kept = new Set(["activations", "deliveries", "outbox"]);

/** Opens a state with the real program; returns a line for everything that is not as it was promised. */
export async function inspect(one: Case): Promise<string[]> {
  const home = resolveHome(one.root);
  const failures = await readers(home, one.published, "after the cut");
  if (one.delivered !== undefined) failures.push(...(await notDelivered(one, one.delivered)));
  if (one.isDoctored) failures.push(...(await doctor(one, "after the cut")));
  if (!one.isHealed) return failures;
  failures.push(...(await healing(one, "ingest")));
  failures.push(...(await readers(home, one.healed, "after the next ingest")));
  if (one.isSummed && existsSync(home.published)) {
    const { complaints } = await withPublished(home.published, look);
    failures.push(...complaints);
  }
  if (one.isDoctored) failures.push(...(await doctor(one, "after the next ingest")));
  if (one.isRebuilt) {
    failures.push(...(await healing(one, "rebuild")));
    failures.push(...(await readers(home, one.healed, "after a rebuild")));
  }
  if (existsSync(home.root))
    failures.push(
      ...leftovers(home)
        .filter((name) => !kept.has(name) && !isMovedAside(name))
        .map((name) => `${name} is left over`),
    );
  return failures;
}

async function healing({ options, env }: Case, verb: string): Promise<string[]> {
  const { code, err } = await run([...options, verb], { env });
  return code === 0
    ? []
    : [`the next ${verb} ended with ${code}: ${err.trim().split("\n").at(-1)}`];
}

// What was delivered is there, and is remembered: nothing goes out twice.
async function notDelivered(
  { options, env }: Case,
  delivered: ReadonlyMap<string, Buffer>,
): Promise<string[]> {
  const lost = [...delivered].filter(
    ([path, bytes]) => !existsSync(path) || !readFileSync(path).equals(bytes),
  );
  const { err, code } = await run([...options, "activate", "all", "--dry-run"], { env });
  const isRemembered = code === 0 && /\b0 new/.test(err);
  const forgotten = isRemembered ? [] : [`what was delivered is forgotten: ${err.trim()}`];
  return [...lost.map(([path]) => `what was delivered is lost: ${path}`), ...forgotten];
}

async function doctor({ options, env }: Case, when: string): Promise<string[]> {
  const { out, err } = await run([...options, "doctor", "--no-reports", "--deep", "--json"], {
    env,
  });
  if (out === "") return [`doctor ${when}: ${err}`];
  const { checks } = JSON.parse(out) as { checks: { level: string; text: string }[] };
  return checks
    .filter(({ level }) => level === "fail")
    .map(({ text }) => `doctor ${when}: ${text}`);
}

async function readers(
  home: Home,
  allowed: readonly (Truth | undefined)[],
  when: string,
): Promise<string[]> {
  if (!existsSync(home.published))
    return allowed.includes(undefined) ? [] : [`${when}: no published file`];
  try {
    return await withPublished(home.published, async (query) => {
      const wrong = [await contents(query, allowed), await notLanded(query, home.landing)];
      return wrong.flat().map((line) => `${when}: ${line}`);
    });
  } catch (error) {
    return [`${when}: the published file does not answer: ${String(error)}`];
  }
}

async function contents(query: Query, allowed: readonly (Truth | undefined)[]): Promise<string[]> {
  let least: string[] | undefined;
  for (const truth of allowed) {
    const wrong = await compare(query, truth ?? new Map<string, number>());
    if (wrong.length === 0) return [];
    if (least === undefined || wrong.length < least.length) least = wrong;
  }
  return least === undefined ? [] : [`${least.length} marks differ: ${least[0]}`];
}

// All loaded events were stored before: their manifest exists and its pages are complete, or a tombstone replaces it.
async function notLanded(query: Query, landing: string): Promise<string[]> {
  const rows = await query("select read_id from window_reads order by read_id");
  const pruned = new Set(
    jsonFilesIn(join(landing, "pruned")).flatMap(({ text }) =>
      (JSON.parse(text) as { reads: { read_id: string }[] }).reads.map(({ read_id: id }) => id),
    ),
  );
  const manifests = new Map(
    jsonFilesIn(join(landing, "reads")).map(({ name, text }) => [name, text]),
  );
  return rows
    .map((row) => String(row["read_id"]))
    .filter((id) => !pruned.has(id))
    .flatMap((id) => getFault(manifests.get(id), id, landing));
}

function getFault(manifest: string | undefined, readId: string, landing: string): string[] {
  if (manifest === undefined) return [`no manifest of the loaded read ${readId}`];
  try {
    const { pages: own } = JSON.parse(manifest) as { pages: Landed[] };
    const places = readPlaces(landing, readId);
    const pages = own.map((page, i) => ({ ...page, ...(places[i] && { place: places[i] }) }));
    return pages
      .filter((page) => !isWhole(landing, page))
      .map(({ sha256 }) => `page ${sha256} of the loaded read ${readId} is missing or damaged`);
  } catch {
    return [`the manifest of the loaded read ${readId} is damaged`];
  }
}

type Landed = {
  readonly sha256: string;
  readonly place?: { readonly file: string; readonly start: number; readonly length: number };
};

// Where pages share a file, a file beside the manifest has their places; older manifests have them themselves.
function readPlaces(landing: string, readId: string): (Landed["place"] | null)[] {
  const path = join(landing, "reads", `${readId}.places`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as never) : [];
}

function isWhole(landing: string, { sha256, place }: Landed): boolean {
  try {
    const name = place?.file ?? sha256;
    const file = readFileSync(join(landing, "pages", name.slice(0, 2), `${name}.zst`));
    const start = place?.start ?? 0;
    const bytes = zstdDecompressSync(file.subarray(start, start + (place?.length ?? file.length)));
    return createHash("sha256").update(bytes).digest("hex") === sha256;
  } catch {
    return false;
  }
}

function jsonFilesIn(folder: string): { name: string; text: string }[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ name: name.slice(0, -5), text: readFileSync(join(folder, name), "utf8") }));
}
