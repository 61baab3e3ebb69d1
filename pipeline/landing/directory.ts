import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { userList } from "../../schemas/api.ts";
import { AuditlakeError } from "../errors.ts";
import { writeDurably } from "../durable.ts";

const landedUsers = z.strictObject({ source: z.string(), readAt: z.string(), users: userList });

/** A user list as it was read, for the rebuild. */
export type LandedUsers = {
  readonly source: string;
  readonly readAt: string;
  readonly users: unknown;
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

/** All landed user lists, oldest first. */
export function listUsers(folder: string): LandedUsers[] {
  const path = join(folder, "users");
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => parse(join(path, name)));
}

function parse(path: string): LandedUsers {
  try {
    return landedUsers.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(
      `landed user list ${path} cannot be read; restore it from a backup or move it away`,
    );
  }
}
