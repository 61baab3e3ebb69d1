import type { Catalog } from "../../../schemas/catalog.ts";
import type { FoundReports } from "../../base/report/find.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import type { Pool, Statements } from "./pool.ts";
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { parseJson } from "../../base/rows/json-text.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { makeFolders } from "../../base/home/durable.ts";
import { readUserName } from "../../base/home/version.ts";
import type { FormTokens } from "./form-token.ts";
import type { SharedReads } from "./shared-reads.ts";
import { getVisitor } from "./visitor.ts";

export type Site = {
  readonly settings: Settings;
  readonly world: World;
  readonly pool: Pool;
  readonly statements: Statements;
  /** Searched for each page: a file that is added to the folder appears at once. */
  readonly found: () => FoundReports;
  /** Folder that reports are saved into; undefined where none is configured. */
  readonly queriesFolder: string | undefined;
  /** The reference, with the current events of the user's catalog. */
  readonly catalog: () => Promise<Catalog>;
  readonly asked: InquiryLog;
  readonly forms: FormTokens;
  readonly share: SharedReads;
  /** Makes an editor of the field of a statement; undefined where it was not built. */
  readonly editorScript: string | undefined;
  /** How long a question of a page may take. */
  readonly timeoutMs: number;
};

const statementSchema = z.object({ kind: z.literal("sql"), what: z.string() });

/** Log entry of a request: who, what and when. */
export type Inquiry = {
  readonly at: string;
  readonly by: string;
  readonly kind:
    | "overview"
    | "page"
    | "report"
    | "findings"
    | "finding"
    | "events"
    | "event"
    | "sql"
    | "access"
    | "pipeline"
    | "decision";
  readonly what: string;
};

/**
 * The log of questions: one line of JSON each, in the home, for its owner alone. Throws AuditlakeError where it cannot
 * be written or read.
 */
type InquiryLog = {
  /** Call it before answering: a question that cannot be logged gets no answer. */
  readonly add: (kind: Inquiry["kind"], what: string) => void;
  /** The newest statements, each once. */
  readonly statements: (most: number) => string[];
};

/** A log in a file; the folder is made where it is missing. */
export function newInquiryLog(path: string, now: () => number): InquiryLog {
  return {
    add: (kind, what) => {
      const by = getVisitor()?.user ?? readUserName();
      const entry: Inquiry = { at: new Date(now()).toISOString(), by, kind, what };
      tryOrThrow(path, "written, and requests that are not logged are not answered", () => {
        makeFolders(dirname(path));
        appendLine(path, JSON.stringify(entry));
      });
    },
    statements: (most) => {
      const asked = tryOrThrow(path, "read", () => listStatements(path));
      return [...new Set(asked.toReversed())].slice(0, most);
    },
  };
}

// A full disk may have cut the last line off: what came right behind it would be lost with it.
function appendLine(path: string, line: string): void {
  const file = openSync(path, "a+", 0o600);
  try {
    const last = Buffer.from("\n");
    // Of an empty file, where -1 means its beginning, nothing is read.
    readSync(file, last, 0, 1, fstatSync(file).size - 1);
    appendFileSync(file, `${last.toString() === "\n" ? "" : "\n"}${line}\n`);
  } finally {
    closeSync(file);
  }
}

function tryOrThrow<T>(path: string, done: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new AuditlakeError(`the query log cannot be ${done} (${path}): ${getMessage(error)}`);
  }
}

function listStatements(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readTail(path).split("\n");
  return lines.flatMap((line) => statementSchema.safeParse(parseJson(line)).data?.what ?? []);
}

// Skips a truncated line, from a full disk or at the start of the read part. The log grows for years.
const maxBytes = 1_000_000;

function readTail(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, maxBytes));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.toString("utf8");
  } finally {
    closeSync(file);
  }
}
