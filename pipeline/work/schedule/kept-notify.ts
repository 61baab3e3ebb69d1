import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { configSchema } from "../../../schemas/config.ts";
import type { Target } from "../../../schemas/connectors.ts";
import { destinationOf } from "../registry.ts";
import { writeDurably } from "../../base/home/durable.ts";
import { homeAt, type Home } from "../../base/home/layout.ts";
import type { GlobalFlags, Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { scheduleFile } from "./jobs.ts";

// A broken configuration cannot say who gets notices: what it said last is kept for that.

/**
 * Keeps the part of the configuration that says who gets notices. A secret that stands in the configuration itself is
 * not written anywhere else: such a webhook is not kept.
 */
export async function keepNotify({ home, config, configFolder }: Settings): Promise<void> {
  const { notify = [], disable_after } = config.schedule;
  const path = scheduleFile(home, "notify.json");
  const targets = notify.flatMap((name) => {
    const target = config.targets[name];
    return target === undefined || !isKept(target) ? [] : [[name, target] as const];
  });
  if (targets.length === 0) return rm(path, { force: true });
  const names = targets.flatMap(([, { authentication }]) => authentication ?? []);
  const kept = {
    folder: configFolder,
    config: {
      authentications: Object.fromEntries(
        names.map((name) => [name, config.authentications[name]]),
      ),
      targets: Object.fromEntries(targets),
      schedule: { disable_after, notify: targets.map(([name]) => name) },
    },
  };
  const text = `${JSON.stringify(kept, null, 2)}\n`;
  if (!existsSync(path) || readFileSync(path, "utf8") !== text)
    await writeDurably(path, Buffer.from(text));
}

function isKept(target: Target): boolean {
  return destinationOf(target).canNotifyAlone?.(target) === true;
}

/** The home of a command line whose configuration cannot be read; undefined where only that names it. */
export function homeWithout(flags: GlobalFlags, { env }: World): Home | undefined {
  const path = flags.home ?? env["AUDITLAKE_HOME"];
  return path === undefined ? undefined : homeAt(path);
}

/** Settings with what was kept and nothing else; undefined where nothing was, or where it cannot be read. */
export function keptSettings(home: Home, flags: GlobalFlags): Settings | undefined {
  try {
    const { folder, config } = JSON.parse(
      readFileSync(scheduleFile(home, "notify.json"), "utf8"),
    ) as { folder: string; config: unknown };
    return {
      home,
      config: configSchema.parse(config),
      configFile: undefined,
      configFolder: folder,
      flags,
    };
  } catch {
    return undefined;
  }
}
