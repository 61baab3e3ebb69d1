import type { KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import { writeDurably } from "../../base/home/durable.ts";
import type { Settings } from "../../base/home/settings.ts";
import { fault, type Notice, notify, warning } from "../../base/notice/notice.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import type { World } from "../../base/world.ts";
import { type Checkpoint, formatHead, parseCheckpoint, signHead } from "./checkpoint.ts";
import { logFiles } from "./entries.ts";
import { readSigner, resolveOutside } from "./key.ts";
import { type EvidenceLog, findLog } from "./log.ts";
import { keepHead, readNewestHead } from "./outside.ts";
import { placeText, storePeaks } from "./peaks.ts";
import { readFolderTimes } from "./take-in.ts";
import { addLeaves, hashLeaf, joinPeaks, type SizedRoot } from "./tree.ts";
import { askWitness, WitnessConflict } from "./witness.ts";

/**
 * Brings the head of the open log up to its newest leaf: on the disk, signed where that is allowed, and in the folder
 * evidence.heads. Resolves to its note, undefined for an empty log. What is wrong is a notice: data is published anyway.
 */
export async function advanceHead(settings: Settings, world: World): Promise<string | undefined> {
  const log = findLog(settings.home.landing);
  if (log === undefined) return undefined;
  try {
    await log.sync();
    const why = log.fault();
    if (why !== undefined) throw new AuditlakeError(`the log takes no entries: ${why}`);
    return log.lines.length === 0 ? undefined : await makeHead(log, settings, world);
  } catch (error) {
    tell(log, world, fault("evidence_broken", { why: getMessage(error) }));
    return undefined;
  }
}

async function makeHead(log: EvidenceLog, settings: Settings, world: World): Promise<string> {
  const { landing } = settings.home;
  const origin = await readOrigin(settings, world);
  const before = readHead(landing);
  const own = before && describeConflict(before, log, `landing/${logFiles.head}`);
  const { length: size } = log.lines;
  const head = { origin, size, root: computeRootAt(log, size) };
  if (own !== undefined) {
    tell(log, world, fault("evidence_changed", { why: own }, ["doctor"]));
    return formatHead(head);
  }
  const { signer, folder } = await prepareSigning(log, origin, settings, world);
  const isSame = before?.text === formatHead(head);
  const isDone = isSame && (signer === undefined || before.signatures.length > 0);
  const note = isDone
    ? before.note
    : signer === undefined
      ? formatHead(head)
      : await showWitness(signHead(head, signer), { log, before }, settings, world);
  if (!isDone) placeText(landing, logFiles.head, note);
  // Decisions come without the lock, perhaps since this run looked: their folder is looked through again.
  const { findings: _, ...folders } = readFolderTimes(landing);
  if (log.peaks?.size !== size)
    storePeaks(landing, trees.get(log)!, { ...log.describe(), folders });
  if (parseCheckpoint(note).signatures.length > 0 && folder !== undefined)
    await keepHead(folder, note).catch((error: unknown) =>
      tell(log, world, fault("evidence_heads", { why: getMessage(error) })),
    );
  return note;
}

type Signing = { readonly log: EvidenceLog; readonly before: Checkpoint | undefined };

// A signature that contradicts what a witness has seen does not stay. One that is down keeps no head from being signed.
async function showWitness(
  note: string,
  { log, before }: Signing,
  { config }: Settings,
  world: World,
): Promise<string> {
  if (config.evidence.witness === undefined) return note;
  const oldSize = before === undefined || before.signatures.length === 0 ? 0 : before.size;
  const leaves = log.lines.map(hashLeaf);
  try {
    return await askWitness(config.evidence.witness, { note, leaves, oldSize }, world);
  } catch (error) {
    const why = getMessage(error);
    const isConflict = error instanceof WitnessConflict;
    const notice = isConflict
      ? fault("evidence_unsigned", { why }, ["evidence", "adopt"])
      : warning("evidence_witness", { why });
    tell(log, world, notice);
    return isConflict ? parseCheckpoint(note).text : note;
  }
}

/** The key to sign with, and the folder for heads; neither where this home must not sign. */
async function prepareSigning(
  log: EvidenceLog,
  origin: string,
  settings: Settings,
  world: World,
): Promise<{ readonly signer?: KeyObject | undefined; readonly folder?: string | undefined }> {
  const { home, config, configFolder } = settings;
  try {
    const signer = await readSigner(settings, origin);
    if (signer === undefined || config.evidence.heads === undefined) return { signer };
    const folder = resolveOutside("heads", config.evidence.heads, home.root, configFolder);
    const newest = readNewestHead(folder, origin);
    const conflict = newest && describeConflict(newest, log, "evidence.heads");
    if (conflict === undefined) return { signer, folder };
    throw new AuditlakeError(conflict);
  } catch (error) {
    tell(log, world, fault("evidence_unsigned", { why: getMessage(error) }));
    return {};
  }
}

/** Why a head cannot be one of this log; undefined where the log continues it. */
function describeConflict(
  { size, root }: SizedRoot,
  log: EvidenceLog,
  place: string,
): string | undefined {
  const advice = `restore the newest copy of the log, or begin another one with ${formatCommand("evidence", "adopt")}`;
  if (size > log.lines.length)
    return `${place} has a head of ${size} entries, and the log of this home has ${log.lines.length}: it was restored, cloned or cut; ${advice}`;
  if (computeRootAt(log, size).equals(root)) return undefined;
  return `the first ${size} entries of the log are not those of the head in ${place}; ${advice}`;
}

type Tree = { size: number; peaks: readonly Buffer[]; readonly roots: Map<number, Buffer> };

// What was hashed once in this process is not hashed again.
const trees = new WeakMap<EvidenceLog, Tree>();

function computeRootAt(log: EvidenceLog, size: number): Buffer {
  const tree = trees.get(log) ?? newTree(log);
  trees.set(log, tree);
  const known = tree.roots.get(size);
  if (known !== undefined) return known;
  const from = size < tree.size ? { size: 0, peaks: [] } : tree;
  const peaks = addLeaves(from.peaks, from.size, log.lines.slice(from.size, size).map(hashLeaf));
  if (from === tree) Object.assign(tree, { size, peaks });
  const root = joinPeaks(peaks);
  tree.roots.set(size, root);
  return root;
}

function newTree({ peaks }: EvidenceLog): Tree {
  if (peaks === undefined) return { size: 0, peaks: [], roots: new Map() };
  return { ...peaks, roots: new Map([[peaks.size, joinPeaks(peaks.peaks)]]) };
}

/** The newest head of a home as its log has it; undefined where no head can be read. */
export function readHead(landing: string): (Checkpoint & { readonly note: string }) | undefined {
  try {
    const note = readFileSync(join(landing, logFiles.head), "utf8");
    return { ...parseCheckpoint(note), note };
  } catch {
    // After a power cut it may be empty; it is made again from the entries.
    return undefined;
  }
}

/** The newest head of a home as it leaves with messages and summaries; undefined where it is not signed. */
export function findSignedHead(landing: string): string | undefined {
  const head = readHead(landing);
  return head !== undefined && head.signatures.length > 0 ? head.note : undefined;
}

const homeFile = z.strictObject({ home_id: z.string().regex(/^[0-9a-f]{16}$/) });

/** The origin of a home's log; its id is made where it has none. Throws AuditlakeError where it cannot be read. */
export async function readOrigin(
  { home: { landing }, config: { evidence } }: Pick<Settings, "home" | "config">,
  { random }: Pick<World, "random">,
): Promise<string> {
  const path = join(landing, logFiles.home);
  if (!existsSync(path)) await giveNewId(landing, random);
  const { data } = homeFile.safeParse(parseJson(readFileSync(path, "utf8")));
  if (data !== undefined) return `${evidence.name}/${data.home_id}`;
  throw new AuditlakeError(
    `${path} has no id of this home; restore it from a backup, or begin another log with ${formatCommand("evidence", "adopt")}`,
  );
}

/** Gives a home a new id, and with it a log of another origin. */
export async function giveNewId(landing: string, random: World["random"]): Promise<void> {
  const draw = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const text = `${JSON.stringify({ home_id: draw() + draw() })}\n`;
  await writeDurably(join(landing, logFiles.home), Buffer.from(text));
}

const warned = new WeakMap<EvidenceLog, Set<string>>();

// A run makes the head several times, and says once what is wrong with it.
function tell(log: EvidenceLog, world: World, notice: Notice): void {
  const texts = warned.get(log) ?? new Set();
  warned.set(log, texts);
  const text = JSON.stringify(notice);
  if (!texts.has(text))
    notify(world, notice, notice.level === "error" ? exitCode.partial : undefined);
  texts.add(text);
}
