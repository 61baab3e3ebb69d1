import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { fault, type Notice, notify, warning } from "../../base/notice/notice.ts";
import type { World } from "../../base/world.ts";
import { type Checkpoint, formatHead, parseCheckpoint, signHead } from "./checkpoint.ts";
import { logFiles } from "./entries.ts";
import { readKeyCopy, writeKeyCopy } from "./key.ts";
import { type EvidenceLog, findLog } from "./log.ts";
import { makeOrigin } from "./origin.ts";
import { keepHead } from "./outside.ts";
import { placeText, storePeaks } from "./peaks.ts";
import { describeConflict, type LogTree, prepareSigning, type Signing } from "./signing.ts";
import { readFolderTimes } from "./take-in.ts";
import { addLeaves, hashLeaf, joinPeaks } from "./tree.ts";
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
    if (why !== undefined) throw new AuditlakeError(`no entries can be added to the log: ${why}`);
    return log.lines.length === 0 ? undefined : await makeHead(log, settings, world);
  } catch (error) {
    report(log, world, fault("evidence_broken", { why: getMessage(error) }));
    return undefined;
  }
}

async function makeHead(log: EvidenceLog, settings: Settings, world: World): Promise<string> {
  const { landing } = settings.home;
  const origin = await makeOrigin(settings, world);
  const before = readHead(landing);
  const own = before && describeConflict(before, describeTree(log), `landing/${logFiles.head}`);
  const { length: size } = log.lines;
  const head = { origin, size, root: computeRootAt(log, size) };
  if (own !== undefined) {
    report(log, world, fault("evidence_changed", { why: own }, ["doctor"]));
    return formatHead(head);
  }
  const signing = await findSigning(log, origin, settings, world);
  const isSame = before?.text === formatHead(head);
  const isDone = isSame && (signing === undefined || before.signatures.length > 0);
  const note = isDone
    ? before.note
    : signing === undefined
      ? formatHead(head)
      : await askForCosignature(
          signHead(head, signing.privateKey),
          { log, before },
          settings,
          world,
        );
  if (!isDone) placeText(landing, logFiles.head, note);
  // Decisions come without the lock, perhaps since this run looked: their folder is looked through again.
  const { findings: _, ...folders } = readFolderTimes(landing);
  if (log.peaks?.size !== size)
    storePeaks(landing, trees.get(log)!, { ...log.describe(), folders });
  const folder = signing?.folder;
  if (parseCheckpoint(note).signatures.length > 0 && folder !== undefined)
    await keepHead(folder, note).catch((error: unknown) =>
      report(log, world, fault("evidence_heads", { why: getMessage(error) })),
    );
  return note;
}

type Shown = { readonly log: EvidenceLog; readonly before: Checkpoint | undefined };

// Deletes a signature that contradicts a witness. A witness that is down does not prevent signing.
async function askForCosignature(
  note: string,
  { log, before }: Shown,
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
    report(log, world, notice);
    return isConflict ? parseCheckpoint(note).text : note;
  }
}

async function findSigning(
  log: EvidenceLog,
  origin: string,
  settings: Settings,
  world: World,
): Promise<Signing | undefined> {
  const { landing } = settings.home;
  try {
    const signing = prepareSigning(settings, origin, describeTree(log));
    if (signing !== undefined && readKeyCopy(landing) === undefined)
      await writeKeyCopy(landing, signing.verifierKey);
    return signing;
  } catch (error) {
    report(log, world, fault("evidence_unsigned", { why: getMessage(error) }));
    return undefined;
  }
}

function describeTree(log: EvidenceLog): LogTree {
  return { size: log.lines.length, computeRootAt: (size) => computeRootAt(log, size) };
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

const warned = new WeakMap<EvidenceLog, Set<string>>();

// A run makes the head several times, and says once what is wrong with it.
function report(log: EvidenceLog, world: World, notice: Notice): void {
  const texts = warned.get(log) ?? new Set();
  warned.set(log, texts);
  const text = JSON.stringify(notice);
  if (!texts.has(text))
    notify(world, notice, notice.level === "error" ? exitCode.partial : undefined);
  texts.add(text);
}
