import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AuditlakeError, isCode } from "../errors.ts";

const unzip = promisify(gunzip);

/** What an error names; a header may hold anything. */
const codings = new Set(["br", "compress", "deflate", "zstd", "dcb", "dcz"]);

/** All bytes of a body; an error as soon as there are more than `maxBytes`. */
export async function readCapped(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * The body decoded strictly: a compressed body that is cut off is an error, not a short text. Bodies are asked
 * for uncompressed; gzip is what services send all the same.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = String(encoding ?? "identity")
    .trim()
    .toLowerCase();
  if (name === "identity" || name === "") return body;
  if (name !== "gzip" && name !== "x-gzip")
    throw new AuditlakeError(
      `the service sent content-encoding ${codings.has(name) ? name : "of an unknown kind"}, which was not asked for; expected identity or gzip`,
    );
  try {
    return await unzip(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (isCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLong(maxBytes);
    throw error;
  }
}

function tooLong(maxBytes: number): AuditlakeError {
  return new AuditlakeError(
    `a page is longer than ${maxBytes} bytes; lower audits.paging.size or raise limits.max_page_bytes of the source`,
  );
}
