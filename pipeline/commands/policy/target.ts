import type { Command } from "commander";
import { policyId } from "../../../schemas/policies.ts";
import { UsageError } from "../../errors.ts";
import { clientOf } from "../../run/client.ts";
import { chooseSource, settle, type NamedSource, type Settings } from "../../settings.ts";
import type { Client } from "../../source/client.ts";
import type { World } from "../../world.ts";

/** The policy that a command line names, and the way to the service that has it. */
export type Target = {
  readonly id: string;
  readonly settings: Settings;
  readonly source: NamedSource;
  readonly client: Client;
};

/** Settles what a verb works on, and works on it; the client is closed afterwards. */
export async function onPolicy<T>(
  id: string,
  command: Command,
  world: World,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  checkId(id);
  const settings = settle(command, world);
  const source = chooseSource(settings, world);
  await using client = clientOf(settings, source, world);
  return await work({ id, settings, source, client });
}

/** Throws UsageError for what cannot be the id of a policy. */
export function checkId(id: string): void {
  const result = policyId.safeParse(id);
  if (!result.success)
    throw new UsageError(
      `${JSON.stringify(id)} is no policy id; ${result.error.issues[0]!.message}`,
    );
}
