import { statSync } from "node:fs";
import { messageOf } from "../../base/errors.ts";
import type { Runner } from "./attempt.ts";
import type { Scheduled } from "./run-loop.ts";
import type { Memory } from "./job-state.ts";
import { readSettings, type GlobalFlags, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { configuredJobs } from "./jobs.ts";
import { checkNotify } from "./notify.ts";
import { runnerOf } from "./runner.ts";

/** Sends what waits, by the configuration as it is by then. */
export type NotifyBy = (settings: Settings) => Runner["notify"];

/** What the jobs run in; `flags` are those that the configuration is read with. */
export type Around = {
  readonly flags: GlobalFlags;
  readonly memory: Memory;
  readonly notifyBy: NotifyBy;
  readonly print: (line: string) => void;
  readonly world: World;
};

/**
 * The jobs and their runner as the configuration has them by now: read again where its file is another one. One that
 * cannot be read, or wants another home, is printed once, and the former jobs go on.
 */
export function newCurrent(
  settings: Settings,
  { flags, memory, notifyBy, print, world }: Around,
): () => Scheduled {
  const runnerBy = (by: Settings): Runner => runnerOf(by, memory, notifyBy(by), world);
  let seen = stampOf(settings);
  let current = { by: settings, runner: runnerBy(settings) };
  return () => {
    const stamp = stampOf(settings);
    if (stamp !== seen) {
      seen = stamp;
      try {
        const by = checked(readSettings(flags, world), settings, world);
        const { length } = configuredJobs(by);
        current = { by, runner: runnerBy(by) };
        print(`the configuration has changed: ${length} jobs by now`);
      } catch (error) {
        print(`warning: the configuration has changed and is not taken up: ${messageOf(error)}`);
      }
    }
    // Asked anew each time, since files that the configuration names may have changed.
    return { jobs: configuredJobs(current.by), runner: current.runner };
  };
}

function checked(by: Settings, before: Settings, world: World): Settings {
  checkNotify(by, world);
  // Its lock and its memory are those of this home.
  if (by.home.root === before.home.root) return by;
  throw new Error(`it wants the home ${by.home.root}; start the schedule again`);
}

// A file that is not there for a moment is one that is being replaced.
function stampOf({ configFile }: Settings): string {
  if (configFile === undefined) return "";
  const facts = statSync(configFile, { throwIfNoEntry: false, bigint: true });
  return facts === undefined ? "" : `${facts.ino} ${facts.size} ${facts.mtimeNs}`;
}
