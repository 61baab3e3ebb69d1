import { messageOf } from "../../base/errors.ts";
import { createHome } from "../../base/home/layout.ts";
import { noticeId, shownCause } from "./notice.ts";
import { withFailure, type Running } from "./job-outcome.ts";
import { ruleOf } from "./rule.ts";
import { noState, stateOf, withJob, type State } from "./job-state.ts";
import { readSettings, type GlobalFlags, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { sharedMemoryOf } from "./jobs.ts";
import { homeWithout, keptSettings } from "./kept-notify.ts";
import { senderOf, unheard } from "./notify.ts";
import { factsOf, sendAll } from "./runner.ts";
import { secretsOf } from "./secrets.ts";
import { linesPrinter } from "../../base/terminal/printer.ts";

/** The settings of a command line, or where they are broken what was kept of the last that were not. */
export function readOrKeptSettings(flags: GlobalFlags, world: World): Settings | undefined {
  try {
    return readSettings(flags, world);
  } catch {
    const home = homeWithout(flags, world);
    return home === undefined ? undefined : keptSettings(home, flags);
  }
}

/** Tells of a job that could not even start, once for each cause until it is well again; never throws. */
export async function notifyUnstarted(
  name: string,
  error: unknown,
  flags: GlobalFlags,
  world: World,
): Promise<void> {
  const settings = readOrKeptSettings(flags, world);
  if (settings?.config.schedule.notify === undefined) return;
  const cause = shownCause(messageOf(error), secretsOf(settings, world));
  try {
    await notifyFailure(name, cause, (state) => state, settings, world);
  } catch (fault) {
    linesPrinter(world)(unheard(settings, fault));
  }
}

/**
 * Sends the notice of a failure that no run could report, and everything else that waits. `change` is applied to what
 * is remembered of the job. Throws where the notice may not have arrived.
 */
export async function notifyFailure(
  name: string,
  cause: string,
  change: (job: State["jobs"][string]) => State["jobs"][string],
  settings: Settings,
  world: World,
): Promise<void> {
  const nowMs = world.now();
  const running = standIn(name, settings, nowMs);
  const happens = (all: State): State => {
    const known = all.jobs[name] ?? stateOf(all, running.job, nowMs);
    const { state, notices } = withFailure(running, nowMs, cause, change(known));
    return withJob(all, name, state, notices);
  };
  const memory = sharedMemoryOf(settings.home, world);
  try {
    await createHome(settings.home, () => undefined);
    await memory.update(happens);
  } catch {
    // A memory that cannot be kept must not keep anybody from being told.
    const [notice] = happens(noState).notices;
    return senderOf(
      settings,
      world,
      linesPrinter(world),
    )?.({
      ...notice!,
      id: noticeId(name, "failed", nowMs),
    });
  }
  await sendAll(settings, memory, world);
}

// The configuration may not know the job any more.
function standIn(name: string, settings: Settings, nowMs: number): Running {
  const job = { name, rule: ruleOf("none"), timezone: "UTC", argv: [], fingerprint: "" };
  const disableAfter = settings.config.schedule.disable_after;
  return {
    job,
    facts: factsOf(job, settings),
    dueMs: nowMs,
    startedMs: nowMs,
    disableAfter,
  };
}
