import { messageOf } from "../../errors.ts";
import type { Cell, Column, Row, Rows } from "../../rows/row.ts";
import { deliverTo, settledTarget, targetCredentials } from "../../run/delivery.ts";
import type { Notice, Runner } from "../../schedule/runner.ts";
import type { Settings } from "../../settings.ts";
import type { World } from "../../world.ts";
import { isoTime } from "./next.ts";

/**
 * Sends notices to the webhook that schedule.notify names, one row in a delivery of its own; says so where one does not
 * arrive. Throws UsageError where the webhook's credential is missing.
 */
export function notifierOf(
  settings: Settings,
  world: World,
  say: (line: string) => void,
): Runner["notify"] {
  const { notify } = settings.config.schedule;
  if (notify === undefined) return () => Promise.resolve();
  const target = settledTarget(settings, notify);
  targetCredentials(target, settings, world);
  return async (notice) => {
    const deliveryId = `schedule-${notice.job}-${notice.finishedMs}`;
    const order = { deliveryId, confirmed: false, resendUncertain: false, say };
    try {
      await deliverTo(target, rowsOf(notice), order, settings, world);
    } catch (error) {
      say(`warning: ${notify} may not have heard of ${notice.job}: ${messageOf(error)}`);
    }
  };
}

const number = (name: string): Column => ({ name, type: "BIGINT", kind: "number" });
const text = (name: string): Column => ({ name, type: "VARCHAR", kind: "text" });

function rowsOf(notice: Notice): Rows {
  const cells: readonly (readonly [Column, Cell])[] = [
    [text("job"), notice.job],
    [text("state"), notice.isDisabled ? "disabled" : "failed"],
    [number("exit_code"), notice.exitCode],
    [number("configuration_failures"), notice.failures],
    [number("disable_after"), notice.disableAfter],
    [text("due_at"), isoTime(notice.dueMs)],
    [text("finished_at"), isoTime(notice.finishedMs)],
    [text("message"), notice.message],
  ];
  return {
    columns: cells.map(([column]) => column),
    batches: oneRow(cells.map(([, cell]) => cell)),
  };
}

async function* oneRow(row: Row): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve([row]);
}
