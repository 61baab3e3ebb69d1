import { AuditlakeError, messageOf } from "../../errors.ts";
import type { Cell, Column, Row, Rows } from "../../rows/row.ts";
import { deliverTo, settledTarget, targetCredentials } from "../../run/delivery.ts";
import type { Notice } from "../../schedule/notice.ts";
import type { Settings } from "../../settings.ts";
import type { World } from "../../world.ts";
import { isoTime } from "./next.ts";

/** Sends a notice; throws where it may not have arrived. */
export type Send = (notice: Notice) => Promise<void>;

/** Throws UsageError where the credential of the webhook that `schedule.notify` names is missing. */
export function checkNotify(settings: Settings, world: World): void {
  const { notify } = settings.config.schedule;
  if (notify !== undefined) targetCredentials(settledTarget(settings, notify), settings, world);
}

/** Sends notices to the webhook that `schedule.notify` names, one row each in a delivery of its own. */
export function senderOf(
  settings: Settings,
  world: World,
  say: (line: string) => void,
): Send | undefined {
  const { notify } = settings.config.schedule;
  if (notify === undefined) return undefined;
  return async (notice) => {
    const order = { deliveryId: notice.id, confirmed: false, say };
    const target = settledTarget(settings, notify);
    const { outcome } = await deliverTo(target, rowsOf(notice), order, settings, world);
    if (outcome !== "delivered") throw new AuditlakeError(`${notify} refused the notice`);
  };
}

/** What is said where a notice may not have arrived. */
export function unheard({ config }: Settings, error: unknown): string {
  return `warning: ${config.schedule.notify} may not have heard of what happened: ${messageOf(error)}; the notice is kept, and sent again`;
}

const number = (name: string): Column => ({ name, type: "BIGINT", kind: "number" });
const text = (name: string): Column => ({ name, type: "VARCHAR", kind: "text" });

function rowsOf(notice: Notice): Rows {
  const cells: readonly (readonly [Column, Cell])[] = [
    [text("job"), notice.job],
    [text("state"), notice.state],
    [number("exit_code"), notice.exit_code],
    [text("cause"), notice.cause],
    [text("source"), notice.source],
    [text("run_id"), notice.run_id],
    [number("configuration_failures"), notice.configuration_failures],
    [number("disable_after"), notice.disable_after],
    [text("due_at"), isoTime(notice.due_ms)],
    [text("finished_at"), isoTime(notice.finished_ms)],
    [text("message"), notice.message],
    [text("more"), notice.more],
  ];
  return {
    columns: cells.map(([column]) => column),
    batches: oneRow(cells.map(([, cell]) => cell)),
  };
}

async function* oneRow(row: Row): AsyncGenerator<readonly Row[]> {
  yield await Promise.resolve([row]);
}
