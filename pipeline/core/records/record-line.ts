import { jsonAsWritten, parseKeepingNumbers } from "./canonical.ts";
import { canonicalTexts, type IdentityFields } from "./identity.ts";
import { ownIdOf } from "./own-id.ts";
import { reservedPrefix, type Scan } from "./scan.ts";
import { numberMember, type LineWriter } from "./line-writer.ts";

/** How records are named: by the fields in their keys and, where it is not `id`, what stands at a dotted path. */
export type Naming = { readonly identity: IdentityFields; readonly idAt: string | null };

/**
 * Writes a record as a line that ends in its place on the page. Returns false, and writes nothing, where a value inside
 * is no JSON. Of an ordinary record nothing is turned into text.
 */
export function writeRecord(
  lines: LineWriter,
  bytes: Buffer,
  scan: Scan,
  place: number,
  naming: Naming,
): boolean {
  if (scan.isComplex || scan.hasLineBreak || scan.unknown.length > 0 || naming.idAt !== null)
    return writeWithMore(lines, bytes, scan, place, naming);
  lines.numbered(bytes, scan.start, scan.end - 1, place);
  return true;
}

function writeWithMore(
  lines: LineWriter,
  bytes: Buffer,
  { start, end, unknown, isComplex, hasLineBreak }: Scan,
  place: number,
  naming: Naming,
): boolean {
  // Line breaks stand between tokens only: inside a string they are escaped.
  const text = (from: number, to: number): string => {
    const found = bytes.toString("utf8", from, to);
    return hasLineBreak ? found.replaceAll(/[\r\n]/g, " ") : found;
  };
  const isParsed = isComplex || naming.idAt !== null;
  const given = isParsed ? givenMembers(text(start, end), naming) : { members: "", replaced: [] };
  if (given === undefined) return false;
  const more = unknown.map((member) => text(member.start, member.end));
  const members = membersText([...more, ...given.replaced]);
  if (members === undefined) return false;
  const others = members === "" ? "" : `,"${reservedPrefix}others":{${members}}`;
  const tail = `,"${numberMember}":${place}${given.members}${others}}\n`;
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

type Given = {
  readonly members: string;
  /** An `id` whose place was taken. */ readonly replaced: readonly string[];
};

function givenMembers(json: string, { identity, idAt }: Naming): Given | undefined {
  const record = parsed(json);
  if (record === undefined) return undefined;
  const id = idAt === null ? "" : ownIdOf(record, idAt);
  const texts = (of: Readonly<Record<string, unknown>>): string =>
    `,"${reservedPrefix}texts":${JSON.stringify(canonicalTexts(of, identity))}`;
  if (id === "") return { members: texts(record), replaced: [] };
  const own = record["id"] ?? null;
  return {
    members: `,"${reservedPrefix}id":${JSON.stringify(id)}${texts({ ...record, id })}`,
    replaced: own === null || idAt === "id" ? [] : [`"id":${jsonAsWritten(own)}`],
  };
}

function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parseKeepingNumbers(json) as Readonly<Record<string, unknown>>;
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
