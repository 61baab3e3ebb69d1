import { join } from "node:path";
import { runCommand, type Desk } from "../../adapters/prompt/commands.ts";
import { readKnown } from "../../adapters/prompt/complete.ts";
import { runPrompt } from "../../adapters/prompt/prompt.ts";
import type { RowFormat } from "../../answers/report/formats.ts";
import type { Settings } from "../../base/home/settings.ts";
import { requirePublished } from "../../base/home/published.ts";
import type { World } from "../../base/world.ts";
import { chooseRowFormat, writeRows } from "../../answers/report/output.ts";
import { findAllReports } from "../../base/report/find.ts";
import type { Flags } from "./elsewhere.ts";
import { plainPrinter } from "../../base/notice/printer.ts";

type RunQuery = (sql: string, flags: Flags, settings: Settings, world: World) => Promise<void>;

/** Runs the prompt of `sql` on the published data; each statement as the verb runs it. */
export async function runSqlPrompt(
  flags: Flags,
  settings: Settings,
  world: World,
  runQuery: RunQuery,
): Promise<void> {
  const { home } = settings;
  requirePublished(home.published);
  let mode: RowFormat = chooseRowFormat(flags);
  const print = plainPrinter(world, {});
  const desk: Desk = {
    reports: () => findAllReports(settings, {}, world).reports,
    show: async (rows) => void (await writeRows(rows, mode, {}, world, print)),
    print,
    mode: () => mode,
    setMode: (format) => void (mode = format),
    nowMs: world.now,
  };
  if (settings.flags.quiet !== true)
    print(`${home.published}; statements end with ; and .help lists commands`);
  const known = makeOnce(() => readKnown(settings, desk));
  await runPrompt(
    {
      run: async (text, signal) => {
        if (text.startsWith(".")) return runCommand(text, desk);
        // What one answer came to is not what the prompt came to.
        const own = { ...world, signal, noticed: () => undefined };
        await runQuery(text, { ...flags, format: mode }, settings, own);
        return undefined;
      },
      known,
      historyFile: join(home.root, "sql", "history"),
    },
    world,
  );
  world.stdout.write("\n");
}

function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
