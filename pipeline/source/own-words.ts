import type { Dispatcher } from "undici";
import { printable } from "../terminal/printable.ts";
import type { Scrub } from "../home/secrets.ts";

type Body = Dispatcher.ResponseData["body"];

const enoughBytes = 8_192;
const longestMs = 2_000;
const longest = 200;

/**
 * The first line of what the service says with a refusal, for people: without the secrets, printable, at most 200
 * characters. Undefined where it says nothing, an HTML page, or nothing in time; the rest is not read.
 */
export async function ownWords(
  body: Body,
  encoding: string | string[] | undefined,
  scrub: Scrub,
): Promise<string | undefined> {
  const isPlain = encoding === undefined || encoding === "identity";
  const text = isPlain ? (await beginning(body)).toString("utf8").trim() : "";
  body.on("error", () => undefined).destroy();
  if (text === "" || text.startsWith("<")) return undefined;
  const [first = ""] = text.split(/\r?\n|\r/);
  // An object that is written over several lines begins with nothing but its bracket.
  const line = /^[[{]\s*$/.test(first) ? text.replaceAll(/\s+/g, " ") : first.trim();
  const shown = [...printable(scrub(line))];
  return shown.length > longest ? `${shown.slice(0, longest - 1).join("")}…` : shown.join("");
}

// A refusal that never ends, or breaks off, is no reason to wait or to fail in another way.
async function beginning(body: Body): Promise<Buffer> {
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
    // What came so far is all there is.
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(parts);
}
