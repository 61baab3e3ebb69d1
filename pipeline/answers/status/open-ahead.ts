import { existsSync, readFileSync } from "node:fs";
import { resolveHome } from "../../base/home/layout.ts";
import type { GlobalFlags, Settings } from "../../base/home/settings.ts";
import { type Limits, readLimits } from "../../core/store/limits.ts";
import { type Database, openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";

/** A published file that is being opened while its settings are still checked. */
export type OpenedAhead = {
  readonly path: string;
  readonly limits: Limits;
  readonly database: Promise<Database>;
};

/**
 * Begins to open what the settings will most likely name, which takes as long as to load and check their rules.
 * Undefined where nothing lies there.
 */
export function openAhead(
  flags: GlobalFlags,
  { env }: Pick<World, "env">,
): OpenedAhead | undefined {
  const { home, ...asked } = readUnchecked(
    flags.config ?? env["AUDITLAKE_CONFIG"] ?? "auditlake.json",
  );
  const path = resolveHome(flags.home ?? env["AUDITLAKE_HOME"] ?? home ?? "auditlake").published;
  if (!existsSync(path)) return undefined;
  const limits = readLimits(asked);
  const database = openPublished(path, limits);
  // A fault is thrown to the caller that takes it.
  database.catch(() => undefined);
  return { path, limits, database };
}

/** The published file of the settings: what was opened ahead where it is that, as they want it. */
export async function takeOpened(
  { home, config }: Settings,
  ahead: OpenedAhead | undefined,
): Promise<Database> {
  const limits = readLimits(config);
  const isMeant =
    ahead?.path === home.published &&
    ahead.limits.memoryLimit === limits.memoryLimit &&
    ahead.limits.threads === limits.threads;
  if (isMeant) return ahead.database;
  await closeAhead(ahead);
  return openPublished(home.published, limits);
}

/** Closes a database that is not needed. */
export async function closeAhead(ahead: OpenedAhead | undefined): Promise<void> {
  const database = await ahead?.database.catch(() => undefined);
  await database?.[Symbol.asyncDispose]();
}

type UncheckedConfig = {
  readonly home: string | undefined;
  readonly memory_limit?: string | undefined;
  readonly threads?: number | undefined;
};

// Unchecked: the later check decides.
function readUnchecked(file: string): UncheckedConfig {
  try {
    const { home, memory_limit, threads } = JSON.parse(readFileSync(file, "utf8")) as Record<
      string,
      unknown
    >;
    return {
      home: typeof home === "string" ? home : undefined,
      memory_limit: typeof memory_limit === "string" ? memory_limit : undefined,
      threads: typeof threads === "number" ? threads : undefined,
    };
  } catch {
    return { home: undefined };
  }
}
