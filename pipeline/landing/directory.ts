import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { user, type User } from "../../schemas/api.ts";
import { AuditlakeError } from "../errors.ts";
import { writeDurably } from "../durable.ts";

const landedUsers = z.strictObject({
  source: z.string(),
  readAt: z.string(),
  users: z.array(user),
});

/** A user list as it was read, for the rebuild. */
export type LandedUsers = {
  readonly source: string;
  readonly readAt: string;
  readonly users: readonly User[];
};

/** Writes a user list durably before it is stored. */
export async function landUsers(folder: string, landed: LandedUsers): Promise<void> {
  const stamp = landed.readAt.replaceAll(/[-: .]/g, "");
  const path = join(folder, "users", `${stamp}-${landed.source}.json`);
  const text = JSON.stringify(landed, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  await writeDurably(path, Buffer.from(text));
}

/** All landed user lists, oldest first, and the files of those with an id that no column can hold. */
export function listUsers(folder: string): { lists: LandedUsers[]; unfit: string[] } {
  const path = join(folder, "users");
  const files = existsSync(path) ? readdirSync(path) : [];
  const lists: LandedUsers[] = [];
  const unfit: string[] = [];
  for (const name of files.filter((file) => file.endsWith(".json")).sort()) {
    const list = parse(join(path, name));
    if (list === undefined) unfit.push(join(path, name));
    else lists.push(list);
  }
  return { lists, unfit };
}

function parse(path: string): LandedUsers | undefined {
  try {
    const { data, error } = landedUsers.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (error?.issues.every(({ code }) => code === "too_big" || code === "too_small"))
      return undefined;
    if (error !== undefined) throw error;
    return data;
  } catch {
    throw new AuditlakeError(
      `landed user list ${path} cannot be read; restore it from a backup or move it away`,
    );
  }
}
