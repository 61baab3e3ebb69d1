import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompressSync } from "node:zlib";
import { z } from "zod";
import { user } from "../../../schemas/api.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { landFile } from "./store.ts";

const compress = promisify(zstdCompress);
const packedEnd = ".json.zst";
// Those of before 2026-11-24 lie there as text.
const ends = [packedEnd, ".json"];

/** A landed document: what it is called, without its ending, and where it lies. */
export type LandedDocument = { readonly name: string; readonly path: string };

/** Writes a compressed JSON text durably. Daily lists are similar and are retained, so compression saves much. */
export async function landDocument(landing: string, name: string, text: string): Promise<void> {
  const content = Buffer.from(text);
  await landFile(landing, `${name}${packedEnd}`, await compress(content), content);
}

/** Returns the documents of a folder in the order of their names; empty if the folder does not exist. */
export function listDocuments(folder: string): LandedDocument[] {
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  return files.flatMap((file) => {
    const end = ends.find((one) => file.endsWith(one));
    return end === undefined
      ? []
      : [{ name: file.slice(0, -end.length), path: join(folder, file) }];
  });
}

/** What a document holds as JSON; throws where it cannot be read, unpacked or parsed. */
export function readDocument({ path }: LandedDocument): unknown {
  const bytes = readFileSync(path);
  const text = path.endsWith(packedEnd) ? zstdDecompressSync(bytes) : bytes;
  return JSON.parse(text.toString("utf8"));
}

const landedUsers = z.strictObject({
  source: z.string(),
  readAt: z.string(),
  users: z.array(user).readonly(),
  // What stood against its being whole, where something did.
  against: z.array(z.string()).readonly().optional(),
  // The operator's reason for accepting a list that was held back.
  accepted: z.string().optional(),
});

/** A user list as it was read, for the rebuild. */
type LandedUsers = Readonly<z.infer<typeof landedUsers>>;

export async function landUsers(folder: string, landed: LandedUsers): Promise<void> {
  const name = `${toStamp(landed.readAt)}-${landed.source}`;
  const text = JSON.stringify(landed, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  await landDocument(folder, `users/${name}`, text);
}

/**
 * Returns the landed user lists, oldest first, and the files of lists with an id that no column can hold. For a source
 * in `after`, only lists read after that moment.
 */
export function listUsers(
  folder: string,
  after: ReadonlyMap<string, string> = new Map(),
): { lists: LandedUsers[]; unfit: string[] } {
  const lists: LandedUsers[] = [];
  const unfit: string[] = [];
  for (const document of listDocuments(join(folder, "users"))) {
    if (!isAfter(document, after)) continue;
    const list = parseDocument(document);
    if (list === undefined) unfit.push(document.path);
    else lists.push(list);
  }
  return { lists, unfit };
}

function isAfter({ name }: LandedDocument, after: ReadonlyMap<string, string>): boolean {
  const [, stamp, source] = /^(\d+)-(.*)$/.exec(name) ?? [];
  const last = source === undefined ? undefined : after.get(source);
  return last === undefined || stamp! > toStamp(last);
}

function toStamp(moment: string): string {
  return moment.replaceAll(/[-: .]/g, "");
}

function parseDocument(document: LandedDocument): LandedUsers | undefined {
  try {
    const { data, error } = landedUsers.safeParse(readDocument(document));
    if (error?.issues.every(({ code }) => code === "too_big" || code === "too_small"))
      return undefined;
    if (error !== undefined) throw error;
    return data;
  } catch {
    throw new AuditlakeError(
      `landed user list ${document.path} cannot be read; restore it from a backup or move it away`,
    );
  }
}
