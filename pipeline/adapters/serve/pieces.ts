import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Sink } from "../../answers/report/result.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { getMarkupText, type Markup } from "../../base/html/markup.ts";
import { writeProblem } from "./frame.ts";
import { readMark } from "./pool.ts";

/** Returns the message of an error for a page. The message of an unexpected error may quote a record. */
export function describeFault(error: unknown): string {
  return error instanceof AuditlakeError
    ? getMessage(error)
    : "this failed for an unexpected reason; run auditlake doctor, and report the bug with the address of this page";
}

/** Writes a part of a started page; a failing part shows its error in its place, and the others follow. */
export async function tryPart(write: () => Promise<Markup | null>): Promise<string> {
  try {
    const part = await write();
    return part === null ? "" : getMarkupText(part);
  } catch (error) {
    return getMarkupText(writeProblem(describeFault(error)));
  }
}

/** Writes parts of a page one after the other, as `tryPart` does. */
export async function* tryParts(
  parts: readonly (() => Promise<Markup | null>)[],
): AsyncGenerator<string> {
  for (const write of parts) yield await tryPart(write);
}

/**
 * Answers with a page that is sent in pieces. An error before the first piece is thrown. Later errors are part of
 * the pieces; any other one breaks off the page.
 */
export async function sendPieces(c: Context, pieces: AsyncGenerator<string>): Promise<Response> {
  const first = await pieces.next();
  c.header("Content-Type", "text/html; charset=utf-8");
  if (first.done === true || c.req.method === "HEAD") {
    await pieces.return(undefined);
    return c.body(null);
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first.value)),
    pull: async (controller) => {
      const next = await pieces.next().catch(() => ({ done: true, value: undefined }));
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
  return c.body(body);
}

/**
 * Answers with a CSV file, written piece by piece. A fault before the first piece is thrown; a later fault breaks off
 * the file. For HEAD, writing ends after the first piece.
 */
export async function sendCsv(
  c: Context,
  stem: string,
  write: (sink: Sink) => Promise<void>,
): Promise<Response> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const isHead = c.req.method === "HEAD";
  const started = Promise.withResolvers<void>();
  let hasStarted = false;
  const writeChunk: Sink = async (text) => {
    hasStarted = true;
    started.resolve();
    await writer.write(encoder.encode(text));
  };
  write(writeChunk)
    .then(() => writer.close())
    .catch((error: unknown) => {
      if (!hasStarted) started.reject(error);
      else if (!isHead) breakOff(c);
    });
  await started.promise;
  if (isHead) await readable.cancel();
  setFileHeaders(c, "text/csv; charset=utf-8", `${stem}.csv`);
  return isHead ? c.body(null) : c.body(readable);
}

function setFileHeaders(c: Context, type: string, name: string): void {
  c.header("Content-Type", type);
  c.header("Content-Disposition", `attachment; filename="${name}"`);
}

export async function sendParquet(c: Context, stem: string, file: FileHandle): Promise<Response> {
  setFileHeaders(c, "application/vnd.apache.parquet", `${stem}.parquet`);
  if (c.req.method === "HEAD") {
    await file.close();
    return c.body(null);
  }
  c.header("Content-Length", String((await file.stat()).size));
  return c.body(Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array<ArrayBuffer>>);
}

// An error in the stream would be written below the rows, and its stack to the terminal.
function breakOff(c: Context): void {
  (c.env as Partial<HttpBindings>).outgoing?.destroy();
}

/** A sink that waits for a slow reader no longer than the signal lets it; rejects with its reason. */
export function newSinkUntil(signal: AbortSignal, sink: Sink): Sink {
  return async (text) => {
    signal.throwIfAborted();
    const over = Promise.withResolvers<never>();
    const stop = (): void => over.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      await Promise.race([sink(text), over.promise]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
}

type Kept = {
  readonly sinceMs: number;
  /** The requested pieces; undefined after the last one. */
  readonly pieces: Promise<string | undefined>[];
  readonly next: () => Promise<string | undefined>;
};

const mostKept = 50;

/** Gives the pieces of a page, made at most so long ago. */
export type SharePieces = (
  key: string,
  maxAgeMs: number,
  make: () => AsyncGenerator<string>,
) => AsyncGenerator<string>;

/**
 * Shares the pieces of pages between concurrent requests: each is made once per publication, and later requests get the
 * existing pieces. A failed page is made again.
 */
export function newSharedPieces(path: string, now: () => number): SharePieces {
  const kept = new Map<string, Kept>();
  let mark = "";
  return async function* (key, maxAgeMs, make) {
    const current = readMark(path);
    if (current !== mark) kept.clear();
    mark = current;
    let page = kept.get(key);
    if (page === undefined || now() - page.sinceMs >= maxAgeMs) {
      const pieces = make();
      const next = async (): Promise<string | undefined> => {
        const { value, done } = await pieces.next();
        return done === true ? undefined : value;
      };
      page = { sinceMs: now(), pieces: [], next };
      kept.delete(key);
      kept.set(key, page);
      if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
    }
    yield* readPieces(page, () => {
      if (kept.get(key) === page) kept.delete(key);
    });
  };
}

async function* readPieces({ pieces, next }: Kept, forget: () => void): AsyncGenerator<string> {
  for (let i = 0; ; i++) {
    pieces[i] ??= next();
    try {
      const piece = await pieces[i];
      if (piece === undefined) return;
      yield piece;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
