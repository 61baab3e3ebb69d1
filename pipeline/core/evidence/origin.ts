import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { formatCommand } from "../../base/command-line.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { writeDurably } from "../../base/home/durable.ts";
import type { Settings } from "../../base/home/settings.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import type { World } from "../../base/world.ts";
import { logFiles } from "./entries.ts";

const homeFile = z.strictObject({ home_id: z.string().regex(/^[0-9a-f]{16}$/) });

/** Reads the origin of a home's log; undefined before its first entry. Throws AuditlakeError where it cannot be read. */
export function readOrigin({
  home: { landing },
  config: { evidence },
}: Pick<Settings, "home" | "config">): string | undefined {
  const path = join(landing, logFiles.home);
  if (!existsSync(path)) return undefined;
  const { data } = homeFile.safeParse(parseJson(readFileSync(path, "utf8")));
  if (data !== undefined) return `${evidence.name}/${data.home_id}`;
  throw new AuditlakeError(
    `${path} has no id of this home; restore it from a backup, or start another log with ${formatCommand("evidence", "adopt")}`,
  );
}

/** The origin of a home's log, which gets an id if it has none. Throws AuditlakeError where it cannot be read. */
export async function makeOrigin(settings: Settings, { random }: World): Promise<string> {
  const origin = readOrigin(settings);
  if (origin !== undefined) return origin;
  await giveNewId(settings.home.landing, random);
  return readOrigin(settings)!;
}

/** Gives a home a new id, and with it a log of another origin. */
export async function giveNewId(landing: string, random: World["random"]): Promise<void> {
  const draw = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const text = `${JSON.stringify({ home_id: draw() + draw() })}\n`;
  await writeDurably(join(landing, logFiles.home), Buffer.from(text));
}
