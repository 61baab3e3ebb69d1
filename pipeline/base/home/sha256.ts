import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** The SHA-256 of bytes, or of text in UTF-8, in hexadecimal. */
export function sha256Of(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The SHA-256 of what a file holds, in hexadecimal. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
