import { PassThrough } from "node:stream";

/** A stream for a world, and what has been printed to it so far. */
export function heard(): { readonly stream: PassThrough; readonly text: () => string } {
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  return { stream, text: () => Buffer.concat(parts).toString("utf8") };
}
