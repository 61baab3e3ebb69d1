import { AuditlakeError, type ExitCode, exitCode } from "../../base/errors.ts";
import { faultOf, notify } from "../../base/notice/notice.ts";
import { openClient } from "../source/client.ts";
import type { Writer } from "../writer/open.ts";
import { withWriter } from "../session/write.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { withStoredId } from "../load/own-ids.ts";
import { DatabaseDown } from "../store/fault.ts";
import type { World } from "../../base/world.ts";
import { type AcrossSources, splitDueWindows, type SourceRun } from "./plan.ts";
import { ingestWindows } from "./ingest-windows.ts";
import { printSummary, type Report } from "./report.ts";
import type { Interval } from "../../base/time/periods.ts";

/** A source that is read now, and the world whose lines begin with its name. */
type Task = Pick<SourceRun, "source" | "client" | "world">;

/**
 * Reads and loads the sources one by one, under one lock and with one publication; a failing source does not stop the
 * others. Resolves to the common exit code, or 6 if they differ. Throws an error that concerns all sources, or the
 * error of a single source.
 */
export async function ingestEach(
  settings: Settings,
  sources: readonly NamedSource[],
  backfill: Interval | undefined,
  world: World,
): Promise<ExitCode | undefined> {
  const isAlone = sources.length === 1;
  await using clients = new AsyncDisposableStack();
  const codes: (ExitCode | undefined)[] = [];
  const tasks: Task[] = [];
  for (const source of sources) {
    const own = isAlone ? world : prefixOutput(source, world);
    const code = await readExitCode(isAlone, own, () => {
      // Before the home is opened, and before a new one is made.
      if (backfill !== undefined) splitDueWindows(backfill, source);
      tasks.push({ source, client: clients.use(openClient(settings, source, own)), world: own });
    });
    if (code !== undefined) codes.push(code);
  }
  if (tasks.length > 0)
    await withWriter(
      settings,
      world,
      "ingest",
      async (writer) => {
        const across: AcrossSources = {
          ambiguous: [],
          coming: new Set(tasks.map(({ source }) => source.name)),
        };
        for (const task of tasks) {
          if (world.signal.aborted) break;
          across.coming.delete(task.source.name);
          const ingestTask = (): Promise<ExitCode | undefined> =>
            ingestOne(task, settings, backfill, writer, across);
          codes.push(await readExitCode(isAlone, task.world, ingestTask));
        }
        return combineExitCodes(codes);
      },
      "grown",
    );
  return world.signal.aborted ? exitCode.interrupted : combineExitCodes(codes);
}

async function ingestOne(
  { source, client, world }: Task,
  settings: Settings,
  backfill: Interval | undefined,
  writer: Writer,
  across: AcrossSources,
): Promise<ExitCode | undefined> {
  const startMs = world.now();
  const named = await withStoredId(writer.database.connection, source);
  const own = { settings, source: named, backfill, writer, client, world };
  const report = await ingestWindows(own, across);
  const seconds = (world.now() - startMs) / 1000;
  printSummary(report, source, settings.flags.quiet === true, seconds, world);
  return chooseExitCode(report);
}

function prefixOutput({ name }: NamedSource, world: World): World {
  return { ...world, stderr: prefixStream(world.stderr, `source ${name}:`) };
}

// What concerns one of several is printed, and the next one is read.
async function readExitCode(
  isAlone: boolean,
  world: World,
  work: () => Promise<ExitCode | undefined> | void,
): Promise<ExitCode | undefined> {
  try {
    return (await work()) ?? undefined;
  } catch (error) {
    if (isAlone || world.signal.aborted || !isOfOne(error)) throw error;
    notify(world, faultOf(error));
    return error.exitCode;
  }
}

function isOfOne(error: unknown): error is AuditlakeError {
  if (!(error instanceof AuditlakeError) || error instanceof DatabaseDown) return false;
  return error.exitCode !== exitCode.locked && error.exitCode !== exitCode.interrupted;
}

function chooseExitCode({ run, resumed, usersError, gaps }: Report): ExitCode | undefined {
  if (run.outcome === "failed") return exitCode.failed;
  const hasLeft = resumed.failures.length > 0 || gaps.length > 0;
  const isPartial = run.outcome === "partial" || hasLeft;
  return isPartial || usersError !== undefined ? exitCode.partial : undefined;
}

function combineExitCodes(codes: readonly (ExitCode | undefined)[]): ExitCode | undefined {
  const [first, ...others] = new Set(codes);
  if (others.length === 0) return first;
  const isAnyLoaded = codes.some((code) => code === undefined || code === exitCode.partial);
  return isAnyLoaded ? exitCode.partial : exitCode.failed;
}

type Stream = World["stderr"];

/** Prefixes a stream with a heading, written before the first line; without a line nothing is written. */
function prefixStream(stream: Stream, heading: string): Stream {
  let isWritten = false;
  const write: Stream["write"] = (text: string | Uint8Array, ...rest: unknown[]) => {
    if (!isWritten) stream.write(`${heading}\n`);
    isWritten = true;
    return (stream.write as (...all: unknown[]) => boolean)(text, ...rest);
  };
  // The rest of it is the stream's own, such as its width.
  return Object.assign(Object.create(stream) as Stream, { write });
}
