import { existsSync } from "node:fs";
import { policyId } from "../../../schemas/policies.ts";
import { UsageError } from "../../base/errors.ts";
import { type Client, openClient } from "../../core/source/client.ts";
import { findIdAtBoth, findIdOrNew } from "./find-ids.ts";
import { chooseSource, type NamedSource, type Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { type Database, openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";
import { plainPrinter } from "../../base/notice/printer.ts";

/** The policy that a command line names, and the way to the service that has it. */
export type Target = {
  readonly id: string;
  readonly settings: Settings;
  readonly source: NamedSource;
  readonly client: Client;
};

/**
 * Finds what a verb works on, by id or name, and works on it; the client is closed afterwards. Where the verb is about
 * a moment, too, throws UsageError if the name was another one's then.
 */
export async function withPolicy<T>(
  name: string,
  settings: Settings,
  world: World,
  work: (target: Target) => Promise<T>,
  onMs?: number,
): Promise<T> {
  const source = chooseSource(settings, world);
  const id = await findPolicy(name, settings, source, world, onMs);
  await using client = openClient(settings, source, world);
  return await work({ id, settings, source, client });
}

export async function openKnown({ home, config }: Settings): Promise<Database | undefined> {
  return existsSync(home.published) ? openPublished(home.published, readLimits(config)) : undefined;
}

/**
 * The id of a policy that is named by id or name, as far as something is published that knows names. Throws UsageError
 * for what cannot be the id of a policy.
 */
export async function findPolicy(
  name: string,
  settings: Settings,
  source: NamedSource,
  world: World,
  onMs?: number,
): Promise<string> {
  await using database = await openKnown(settings);
  const print = plainPrinter(world, settings.flags);
  const find = (onto: Database) => (ms: number | undefined, isFirst: boolean) =>
    findIdOrNew(onto.connection, "policy", name, source.name, {
      ...(ms !== undefined && { onMs: ms }),
      ...(isFirst && { print }),
    });
  const id =
    database === undefined ? name : await findIdAtBoth(name, [onMs, undefined], find(database));
  checkId(id);
  return id;
}

/** Throws UsageError for what cannot be the id of a policy. */
export function checkId(id: string): void {
  const result = policyId.safeParse(id);
  if (!result.success)
    throw new UsageError(
      `${JSON.stringify(id)} is not a policy id; ${result.error.issues[0]!.message}`,
    );
}
