import { exitCode, getMessage } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { fault, notify } from "../../base/notice/notice.ts";
import type { World } from "../../base/world.ts";
import { advanceHead } from "./head.ts";
import { openLog } from "./log.ts";
import { takeIn } from "./take-in.ts";

/**
 * Opens the log of a home for a run: a line that was cut off goes, and landed files without a leaf get one. Closing
 * brings the head up to date. Where the log cannot be opened, the run goes without.
 */
export async function openEvidence(settings: Settings, world: World): Promise<AsyncDisposable> {
  try {
    const log = await openLog(settings.home.landing, world.now);
    try {
      takeIn(log);
    } catch (error) {
      log.close();
      throw error;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        await advanceHead(settings, world);
        log.close();
      },
    };
  } catch (error) {
    notify(world, fault("evidence_broken", { why: getMessage(error) }), exitCode.partial);
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}
