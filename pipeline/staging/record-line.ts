import { canonicalTexts, type IdentityFields } from "../records/identity.ts";
import { reservedPrefix, type Scan } from "../records/scan.ts";
import { numberMember, type LineWriter } from "./line-writer.ts";

/**
 * Writes a record as a line that ends in its place on the page. Returns false, and writes nothing, where a value inside
 * is no JSON. Of an ordinary record nothing is turned into text.
 */
export function writeRecord(
  lines: LineWriter,
  bytes: Buffer,
  scan: Scan,
  place: number,
  identity: IdentityFields,
): boolean {
  if (scan.isComplex || scan.hasLineBreak || scan.unknown.length > 0)
    return writeWithMore(lines, bytes, scan, place, identity);
  lines.numbered(bytes, scan.start, scan.end - 1, place);
  return true;
}

function writeWithMore(
  lines: LineWriter,
  bytes: Buffer,
  { start, end, unknown, isComplex, hasLineBreak }: Scan,
  place: number,
  identity: IdentityFields,
): boolean {
  // Line breaks stand between tokens only: inside a string they are escaped.
  const text = (from: number, to: number): string => {
    const found = bytes.toString("utf8", from, to);
    return hasLineBreak ? found.replaceAll(/[\r\n]/g, " ") : found;
  };
  const given = isComplex ? textsMember(text(start, end), identity) : "";
  if (given === undefined) return false;
  const members = membersText(unknown.map((member) => text(member.start, member.end)));
  if (members === undefined) return false;
  const others = members === "" ? "" : `,"${reservedPrefix}others":{${members}}`;
  const tail = `,"${numberMember}":${place}${given}${others}}\n`;
  if (!hasLineBreak) lines.line(bytes, start, end - 1, tail);
  else {
    const body = Buffer.from(text(start, end - 1));
    lines.line(body, 0, body.length, tail);
  }
  return true;
}

// As the database writes members that it finds itself: in the order of their keys, and nothing for a null.
function membersText(members: readonly string[]): string | undefined {
  const parts: { key: string; value: string }[] = [];
  for (const member of members) {
    const [, key = "", value = ""] = /^("(?:[^"\\]|\\.)*")\s*:\s*([^]*)$/.exec(member) ?? [];
    if (!isJsonText(key)) return undefined;
    parts.push({ key: JSON.parse(key) as string, value });
  }
  return parts
    .filter(({ value }) => value !== "null")
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value }) => `${JSON.stringify(key)}:${value}`)
    .join(",");
}

function textsMember(record: string, identity: IdentityFields): string | undefined {
  try {
    return `,"${reservedPrefix}texts":${JSON.stringify(canonicalTexts(record, identity))}`;
  } catch {
    return undefined;
  }
}

/** Whether a text is JSON as a whole. */
export function isJsonText(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
