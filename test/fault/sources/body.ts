import { gzipSync } from "node:zlib";
import { newRandom } from "../../../fixtures/random.ts";
import type { SimEvent } from "./events.ts";
import type { Format, Manners } from "./plan.ts";

const columns = ["time", "event_name", "id", "user_id", "session_id", "new_value", "shade"];

/** A record as the service writes it in one walk; another walk may give it another shape. */
export function formatText(event: SimEvent, { format, shapesVary }: Manners, walk: string): string {
  if (format === "csv") return columns.map((column) => cell(event.fields[column])).join(",");
  const entries = Object.entries(event.fields);
  if (!shapesVary || !event.isReadable)
    return JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null)));
  const random = newRandom(event.shuffle * 2 ** 32, walk);
  const shaped = entries
    .filter(([, value]) => value !== null || random.chance(0.5))
    .map(([name, value]) => [name, random.chance(0.3) && value !== null ? String(value) : value])
    .sort(() => random.next() - 0.5);
  return JSON.stringify(Object.fromEntries(shaped));
}

/** A whole answer: its headers and its bytes, and its text before it was compressed. */
export type Body = {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly text: string;
};

/** The body of a page; `next` is what an envelope says of the next one, undefined where it says nothing. */
export function buildBody(
  texts: readonly string[],
  manners: Manners,
  next: string | number | null | undefined,
): Body {
  const [type, text] = write(texts, manners.format, next);
  const bytes = Buffer.from(text);
  if (!manners.isGzip) return { headers: { "Content-Type": type }, bytes, text };
  const headers = { "Content-Type": type, "Content-Encoding": "gzip" };
  return { headers, bytes: gzipSync(bytes), text };
}

function write(
  texts: readonly string[],
  format: Format,
  next: string | number | null | undefined,
): [string, string] {
  const lines = texts.map((text) => `${text}\n`).join("");
  switch (format) {
    case "csv":
      return ["text/csv", `${columns.join(",")}\n${lines}`];
    case "ndjson":
      return ["application/x-ndjson", lines];
    case "array":
      return ["application/json", `[${texts.join(",")}]`];
    case "envelope": {
      const tail = next === undefined ? "" : `,"next_page":${JSON.stringify(next)}`;
      return ["application/json", `{"audits":[${texts.join(",")}]${tail}}`];
    }
  }
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
}
