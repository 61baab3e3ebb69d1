import { parse } from "csv-parse/sync";
import type { PageFormat } from "../../../pipeline/core/records/format.ts";

// Counts the records of a body in another way than the product: JSON by its tokens, lines by their ends, CSV by the
// library alone.

/** Counts the records in a whole body of the format; undefined if the body is cut off or continues after its end. */
export function readCount(bytes: Buffer, format: PageFormat): number | undefined {
  const text = bytes.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  if (format === "json") return listElements(listTokens(text));
  return format === "ndjson" ? listLines(text) : listRows(text);
}

const token = /\s*(?:("(?:[^"\\]|\\[^])*")|([[\]{},:])|[^\s"[\]{},:]+)/y;
const openers = "[{";
const closers = "]}";

// The marks that make the structure, every other token as a dash; undefined where a text has no end.
function listTokens(text: string): string[] | undefined {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < trimmed.length) {
    const found = token.exec(trimmed);
    if (found === null) return undefined;
    tokens.push(found[2] ?? "-");
  }
  return tokens;
}

function listElements(tokens: readonly string[] | undefined): number | undefined {
  if (tokens === undefined) return undefined;
  const open: string[] = [];
  let [elements, recordDepth] = [0, 0];
  for (const [i, mark] of tokens.entries()) {
    if (i > 0 && open.length === 0) return undefined;
    if (mark === "," && open.length === recordDepth) elements += 1;
    if (closers.includes(mark)) {
      open.pop();
      // The first such array is taken; a later one makes the body be refused.
      if (open.length < recordDepth) recordDepth = Infinity;
    }
    if (!openers.includes(mark)) continue;
    const isRecords = mark === "[" && (i === 0 || tokens[i + 1] === "{") && !open.includes("[");
    open.push(mark);
    if (!isRecords || recordDepth > 0) continue;
    recordDepth = open.length;
    elements = tokens[i + 1] === "]" ? 0 : 1;
  }
  return open.length === 0 && tokens.length > 0 ? elements : undefined;
}

function listLines(text: string): number | undefined {
  const lines = text.split("\n");
  const last = lines.at(-1)!;
  if (/[^ \t\r]/.test(last) && !isWholeLine(last)) return undefined;
  return lines.filter((line) => /[^ \t\r]/.test(line)).length;
}

// A record whose braces close at the end of the line is whole, with any content.
function isWholeLine(line: string): boolean {
  if (!/^[ \t\r]*\{/.test(line)) return isJson(Buffer.from(line, "latin1").toString("utf8"));
  let depth = 0;
  const depths = (listTokens(line) ?? []).map(
    (mark) => (depth += openers.includes(mark) ? 1 : closers.includes(mark) ? -1 : 0),
  );
  return depths.indexOf(0) === depths.length - 1 && /\}\s*$/.test(line);
}

function listRows(text: string): number | undefined {
  try {
    const rows: string[][] = parse(text, { skip_empty_lines: true, relax_column_count: true });
    const isCut = !/[\r\n]$/.test(text) && rows.at(-1)!.length < rows[0]!.length;
    return isCut ? undefined : rows.length - 1;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
