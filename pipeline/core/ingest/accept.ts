import { notify } from "../../base/notice/notice.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { acceptRange } from "../load/mark-windows.ts";
import type { Interval } from "../../base/time/periods.ts";
import { formatSecond } from "../../base/time/text.ts";
import { listGaps } from "../completeness/reading.ts";
import { requireSource } from "../store/limit-to-source.ts";
import { withWriter } from "../session/write.ts";
import { newRunId } from "../store/ledger/record.ts";
import type { World } from "../../base/world.ts";
import { acceptUsers, storeLandedUsers } from "../load/take-users.ts";
import { endedNotice } from "../completeness/directory.ts";
import { plainPrinter } from "../../base/notice/printer.ts";

/** What a person takes as final, and why. */
type Acceptance = {
  readonly source: NamedSource;
  readonly range: Interval;
  readonly reason: string;
  readonly nowMs: number;
};

/** Accepts what of a range is not final by evidence, under the lock, and prints it before the data is published. */
export async function acceptWindows(
  { source, range, reason, nowMs }: Acceptance,
  settings: Settings,
  world: World,
): Promise<void> {
  const { landing } = settings.home;
  await withWriter(settings, world, "ingest accept", async ({ database: { connection } }) => {
    await requireSource(connection, source.name);
    const context = { connection, landing, runId: newRunId(nowMs, world.random), nowMs };
    // A final window is included if it was read later than the current retention allows.
    const gaps = (await listGaps(connection, source.name, source, nowMs)).map(
      ({ gap_start: start, gap_end: end }) => ({
        startMs: Date.parse(String(start)),
        endMs: Date.parse(String(end)),
      }),
    );
    const accepted = await acceptRange(context, source.name, range, reason, gaps);
    for (const { startMs, endMs } of accepted)
      world.stderr.write(`accepted ${formatSecond(startMs)} to ${formatSecond(endMs)}\n`);
    if (accepted.length === 0)
      world.stderr.write("nothing to accept: the complete range is already final\n");
  });
}

/** Accepts the user list of a source that was held back, under the lock, and warns of the users whom that ends. */
export async function acceptUserList(
  { name }: NamedSource,
  reason: string,
  settings: Settings,
  world: World,
): Promise<void> {
  const { landing } = settings.home;
  const print = plainPrinter(world, settings.flags);
  await withWriter(settings, world, "users accept", async ({ database: { connection } }) => {
    await requireSource(connection, name);
    await storeLandedUsers(landing, connection);
    const ended = await acceptUsers(landing, connection, name, reason, world.now());
    if (ended === undefined)
      return print(`no user list of source ${name} is waiting for acceptance`);
    notify(world, endedNotice(name, ended));
  });
}
