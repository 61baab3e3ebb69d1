import { promisify } from "node:util";
import { gunzip, type Gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { AuditlakeError, isCode } from "../errors.ts";
import { PassingFault } from "./faults.ts";

const unzip = promisify(gunzip);

/** A body with more bytes than it may have. */
export class LongBodyError extends AuditlakeError {
  override name = "LongBodyError";
}

type Body = Dispatcher.ResponseData["body"];

/** How long a body may be, and what its error advises. */
export type Cap = { readonly maxBytes: number; readonly advice: string };

/** What an error names; a header may hold anything. */
const codings = new Set(["br", "compress", "deflate", "zstd", "dcb", "dcz"]);

/** All bytes of a body; a LongBodyError as soon as there are more than it may have. */
export async function readCapped(body: AsyncIterable<Buffer>, cap: Cap): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > cap.maxBytes) throw newLongBodyError(cap);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const enoughBytes = 8_192;
const longestMs = 2_000;

/**
 * Reads the beginning of a body, unchanged. A refusal that never ends, or breaks off, is no reason to wait or to fail.
 */
export async function readBeginning(body: Body): Promise<Buffer> {
  const parts: Buffer[] = [];
  const late = setTimeout(() => body.destroy(), longestMs);
  try {
    let length = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= enoughBytes) break;
    }
  } catch {
    // Returns what arrived until then.
  } finally {
    clearTimeout(late);
    discardBody(body);
  }
  return Buffer.concat(parts);
}

/** Discards a body, and its connection with it, since an unread body may never end. */
export function discardBody(body: Body): void {
  body.on("error", () => undefined).destroy();
}

/**
 * Decodes a body strictly: a truncated compressed body is an error, not a short text. Services send gzip although it is
 * not requested.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | string[] | undefined,
  cap: Cap,
): Promise<Buffer> {
  const name = String(encoding ?? "identity")
    .trim()
    .toLowerCase();
  if (name === "identity" || name === "") return body;
  if (name !== "gzip" && name !== "x-gzip")
    throw new AuditlakeError(
      `the service sent content-encoding ${codings.has(name) ? name : "of an unknown kind"}, which was not requested; expected identity or gzip`,
    );
  try {
    return await unzipWhole(body, cap.maxBytes);
  } catch (error) {
    if (isCode(error, "ERR_BUFFER_TOO_LARGE")) throw newLongBodyError(cap);
    throw error;
  }
}

// Node's gunzip ends at a zero byte after a member and passes over the rest (github.com/nodejs/node/pull/5883, by
// intent). Zeros are padding, anything else may be a further member.
async function unzipWhole(body: Buffer, maxOutputLength: number): Promise<Buffer> {
  const unzipped: unknown = await unzip(body, { maxOutputLength, info: true });
  // With `info`, the result type is an object that the types do not describe.
  const { buffer, engine } = unzipped as { buffer: Buffer; engine: Gunzip };
  if (body.subarray(engine.bytesWritten).every((byte) => byte === 0)) return buffer;
  throw new PassingFault("the gzip body continues after zero bytes; expected one without a gap");
}

function newLongBodyError({ maxBytes, advice }: Cap): LongBodyError {
  return new LongBodyError(`the response is longer than ${maxBytes} bytes; ${advice}`);
}
