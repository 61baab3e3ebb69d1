import { existsSync } from "node:fs";
import { join } from "node:path";
import { getMessage } from "../../base/errors.ts";
import { countText } from "../../base/terminal/amounts.ts";
import { checkSignature, parseVerifierKey } from "./checkpoint.ts";
import { logFiles, readEntries, scanFileLine } from "./entries.ts";
import { readHead } from "./head.ts";
import { readKeyCopy } from "./key.ts";
import { parseLeaf } from "./leaf.ts";
import { hashLanded, listLanded } from "./take-in.ts";
import { computeRoot, hashLeaf } from "./tree.ts";

/** How the log of a home and its landed files fit together. */
export type Survey = {
  readonly entries: number;
  readonly head: "none" | "unsigned" | "signed";
  /** Landed files without a leaf; the next run adds it. */
  readonly without_entry: readonly string[];
  /** Files of leaves that are neither there nor pruned. */
  readonly without_file: readonly string[];
  /** Files whose bytes differ from their newest leaf, if requested. */
  readonly changed: readonly string[];
  readonly faults: readonly string[];
};

/** Compares the log of a home with its landed files; with `deep` also the bytes of each. It writes nothing. */
export function surveyLog(landing: string, pruned: ReadonlySet<string>, deep: boolean): Survey {
  const none = { without_entry: [], without_file: [], changed: [] };
  try {
    const { lines, isThere } = readEntries(landing);
    const landed = isThere ? listLanded(landing) : [];
    const leaves = new Map(lines.flatMap((line) => listFile(line)));
    const there = new Set(landed);
    const isGone = (path: string): boolean => !there.has(path) && !pruned.has(path);
    const isChanged = (path: string): boolean => leaves.get(path) !== hashLanded(landing, path);
    return {
      entries: lines.length,
      head: describeHead(landing),
      without_entry: landed.filter((path) => !leaves.has(path)),
      without_file: [...leaves.keys()].filter(isGone),
      changed: deep ? landed.filter((path) => leaves.has(path) && isChanged(path)) : [],
      faults: [...listLineFaults(lines, deep), ...listHeadFaults(landing, lines)],
    };
  } catch (error) {
    return { ...none, entries: 0, head: "none", faults: [`cannot be read: ${getMessage(error)}`] };
  }
}

function listFile(line: string): [string, string][] {
  const file = scanFileLine(line);
  return file === undefined ? [] : [[file.path, file.sha256]];
}

function describeHead(landing: string): Survey["head"] {
  const head = readHead(landing);
  if (head === undefined) return "none";
  return head.signatures.length > 0 ? "signed" : "unsigned";
}

function listLineFaults(lines: readonly string[], deep: boolean): string[] {
  const isLeaf = (line: string, index: number): boolean =>
    line.startsWith(`{"v":1,"index":${index},`) && (!deep || parseLeaf(line) !== undefined);
  const bad = lines.findIndex((line, index) => !isLeaf(line, index));
  return bad < 0 ? [] : [`entry ${bad} is not an entry of auditlake`];
}

function listHeadFaults(landing: string, lines: readonly string[]): string[] {
  const head = readHead(landing);
  if (head === undefined)
    return existsSync(join(landing, logFiles.head))
      ? [`landing/${logFiles.head} is not a head`]
      : [];
  if (head.size > lines.length)
    return [`the head covers ${head.size} entries, but only ${lines.length} exist`];
  const faults: string[] = [];
  if (!computeRoot(lines.slice(0, head.size).map(hashLeaf)).equals(head.root))
    faults.push(`the first ${head.size} entries do not match the head`);
  const key = readKeyCopy(landing);
  if (key !== undefined && head.signatures.length > 0) {
    const verdict = checkSignature(head, parseVerifierKey(key));
    if (verdict !== "valid") faults.push(`the signature of the head is ${verdict}`);
  }
  return faults;
}

/** A number of entries and how the head is, in words. */
export function describeSurvey({ entries, head }: Survey): string {
  const count = `${countText(entries)} ${entries === 1 ? "entry" : "entries"}`;
  return `${count}, ${headTexts[head]}`;
}

const headTexts = { none: "no head yet", unsigned: "head not signed", signed: "head signed" };

export function listSurveyFaults({ faults, ...files }: Survey): string[] {
  const kinds = [
    ["without an entry in the log, which the next run adds", files.without_entry],
    ["in the log that are missing and were not pruned", files.without_file],
    ["whose bytes differ from the log", files.changed],
  ] as const;
  const counts = kinds.flatMap(([what, paths]) =>
    paths.length === 0
      ? []
      : [
          `${paths.length} landed ${paths.length === 1 ? "file" : "files"} ${what}, such as ${paths[0]}`,
        ],
  );
  return [...faults, ...counts];
}
