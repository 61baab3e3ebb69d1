import { join } from "node:path";
import { z } from "zod";
import { user } from "../../../schemas/api.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { landDocument, type LandedDocument, listDocuments, readDocument } from "./documents.ts";

const landedUsers = z.strictObject({
  source: z.string(),
  readAt: z.string(),
  users: z.array(user).readonly(),
  // What stood against its being whole, where something did.
  against: z.array(z.string()).readonly().optional(),
  // Why a person accepts it, of a list that was held back before.
  accepted: z.string().optional(),
});

/** A user list as it was read, for the rebuild. */
export type LandedUsers = Readonly<z.infer<typeof landedUsers>>;

/** Writes a user list durably before it is stored. */
export async function landUsers(folder: string, landed: LandedUsers): Promise<void> {
  const name = `${stampOf(landed.readAt)}-${landed.source}`;
  const text = JSON.stringify(landed, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  await landDocument(join(folder, "users"), name, text);
}

/**
 * The landed user lists, oldest first, and the files of those with an id that no column can hold. Of a source in
 * `after` only those that were read after that moment.
 */
export function listUsers(
  folder: string,
  after: ReadonlyMap<string, string> = new Map(),
): { lists: LandedUsers[]; unfit: string[] } {
  const lists: LandedUsers[] = [];
  const unfit: string[] = [];
  for (const document of listDocuments(join(folder, "users"))) {
    if (!isAfter(document, after)) continue;
    const list = parse(document);
    if (list === undefined) unfit.push(document.path);
    else lists.push(list);
  }
  return { lists, unfit };
}

function isAfter({ name }: LandedDocument, after: ReadonlyMap<string, string>): boolean {
  const [, stamp, source] = /^(\d+)-(.*)$/.exec(name) ?? [];
  const last = source === undefined ? undefined : after.get(source);
  return last === undefined || stamp! > stampOf(last);
}

function stampOf(moment: string): string {
  return moment.replaceAll(/[-: .]/g, "");
}

function parse(document: LandedDocument): LandedUsers | undefined {
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
