import { syncFolder } from "../../base/home/durable.ts";
import { deltaStatuses, type DeltaStatus } from "../../../schemas/activation.ts";
import { begunOf, recordBegunActivation } from "../../core/store/activation/begun-run.ts";
import type { BegunActivation } from "../../core/store/activation/begun-run.ts";
import type { Memory } from "../../core/store/activation/memory.ts";
import { inTransaction } from "../../base/sql/transaction.ts";
import { goesOutEmpty, keepClass } from "./classes.ts";
import { compareWithLast, type Comparison } from "./compare-with-last.ts";
import { passGuard } from "./guard.ts";
import { takeNumber } from "./number.ts";
import { activationsFolder, rowsFile } from "../../core/store/activation/memory-files.ts";
import { statementWithin } from "./statement-within.ts";
import type { Started } from "./started.ts";

/** Compares the rows of the source with what the destination has; to be called inside a transaction. */
export async function compared(started: Started, before: Memory): Promise<Comparison> {
  const { name, connection, activation, source, settings, order, world } = started;
  const path = rowsFile(settings.home, name);
  const statement = await statementWithin(connection, source, path, settings, world);
  const again = {
    retryRefused: order.retryRefused === true,
    resendUncertain: order.resendUncertain === true,
  };
  const found = await compareWithLast(
    connection,
    { activation, statement, before, again },
    world.signal,
  );
  warnOfIdType(before, found, order.print);
  return found;
}

// Ids are compared by their text, so that 1 and "1" are one id.
function warnOfIdType(
  { idType: former, keys: known }: Memory,
  { idType, keys }: Comparison,
  print: (line: string) => void,
): void {
  if (former === undefined || former === idType || known?.idKey !== keys.idKey) return;
  print(
    `warning: id_key ${keys.idKey} was of type ${former} in the last run and is ${idType} now; ids of the same text count as the same`,
  );
}

/** Begins a delivery: compares, keeps the rows of each mapped class, and records all of it in one transaction. */
export async function begin(
  started: Started,
  before: Memory,
): Promise<{ readonly begun: BegunActivation; readonly found: Comparison }> {
  const { name, connection, activation, source, order, settings, world, targets } = started;
  const nowMs = world.now();
  const { title } = source;
  const result = await inTransaction(connection, async () => {
    const found = await compared(started, before);
    await passGuard(name, found, activation, order);
    const number = await takeNumber(settings.home, name, before.lastNumber);
    const context = { connection, name, activation, title, number, order, settings, world };
    for (const each of targets)
      if (found.out[each.status] > 0 || goesOutEmpty(each)) await keepClass(each, nowMs, context);
    const mapped = targets.map(({ status }) => status);
    const { keys, idType, allNewBecause } = found;
    const due = { dueMs: order.dueMs, beganAtMs: nowMs };
    const begun = { number, ...due, keys, idType, allNewBecause, mapped };
    await recordBegunActivation(connection, begun);
    return { begun, found };
  });
  // The database writes its files, and leaves their names to others.
  await syncFolder(activationsFolder(settings.home));
  return { ...result, begun: (await begunOf(connection))! };
}

/** Classes that hold rows but have no mapping: they go nowhere. */
export function unmappedOf(
  { out }: Pick<Comparison, "out">,
  mapped: readonly DeltaStatus[],
): readonly DeltaStatus[] {
  return deltaStatuses.filter((status) => out[status] > 0 && !mapped.includes(status));
}
