import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { own } from "../../base/home/own.ts";
import type { Settings } from "../../base/home/settings.ts";

const front = "activation-";

/** The name of an activation's target, which is in no configuration. */
export function targetOf(activation: string): string {
  return `${front}${activation}`;
}

/**
 * Throws UsageError where a target of the configuration has the name that an activation has as one. Whatever is kept of
 * a delivery goes by that name, and each would remove what the other needs to go on.
 */
export function refuseSharedRecords({ config, home }: Settings, target: string): void {
  if (!target.startsWith(front) || own(config.targets, target) === undefined) return;
  const activation = target.slice(front.length);
  const hasRun = existsSync(join(home.root, "activations", `${activation}.duckdb`));
  if (!hasRun && own(config.activations, activation) === undefined) return;
  throw new UsageError(
    `target ${target} has the name that the records of activation ${activation} go by, and each would lose what is kept of the other; rename one of them`,
  );
}
