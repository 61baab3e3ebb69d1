import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { AuditlakeError, isCode } from "../errors.ts";

const decoders: Readonly<
  Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

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

/** The body decoded strictly: a compressed body that is cut off is an error, not a short text. */
export async function decodeBody(
  body: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = String(encoding ?? "identity").toLowerCase();
  if (name === "identity" || name === "") return body;
  const decode = decoders[name];
  if (decode === undefined)
    throw new AuditlakeError(
      `the service sent content-encoding ${name.slice(0, 40)}, which was not asked for; expected identity or gzip`,
    );
  try {
    return await decode(body, { maxOutputLength: maxBytes });
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
