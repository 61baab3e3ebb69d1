import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeEvents } from "./events-file.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import type { Figure } from "./figures.ts";
import { measure, medianWork, untilPublished, type Measured } from "./measure.ts";
import { bareLoad, bin, byDefault, buildMonth, type Context } from "./traffic.ts";

const duties = new URL("duties.ts", import.meta.url).pathname;

/**
 * `import` beside the bare load of the same bytes: texts unread, and by default until rows and until texts are
 * published. Then the same file again, memory at a tenth, and what an import does.
 */
export async function filesCases(context: Context): Promise<void> {
  const { folder, file, count, rounds, figures } = context;
  const [bare, unread, again, whole]: Measured[][] = [[], [], [], []];
  for (let round = 0; round < rounds; round++) {
    const [home, database] = [join(folder, "home"), join(folder, "bare.duckdb")];
    const load = [bin, "--home", home, "--quiet", "import", file];
    bare!.push(await measure([bareLoad, file, database]));
    unread!.push(await measure(load));
    again!.push(await measure(load));
    rmSync(home, { recursive: true });
    whole!.push(await measure(load, byDefault, resolveHome(home).published));
    for (const one of [home, database]) rmSync(one, { recursive: true });
  }
  const [floor, first, repeated] = [medianWork(bare!), medianWork(unread!), medianWork(again!)];
  const rows = medianWork(whole!.map(untilPublished));
  figures.took(`bare load of ${count} events on one thread`, floor);
  figures.took(`\`import\` of ${count} events, texts unread`, first);
  const command = `node test/bench/table.ts ${count} --only files`;
  const toBare = ratio("`import` / bare load on one thread, texts unread", first, floor, "4.6");
  figures.add({ ...toBare, command });
  figures.took("`import` by default, until rows are published", rows);
  const rowsToBare = ratio("the same by default, until rows are published", rows, floor, "5.1");
  figures.add({ ...rowsToBare, command });
  figures.took(
    "`import` by default, until the texts of its time are published",
    medianWork(whole!),
  );
  figures.took("the same file again", repeated);
  figures.add(ratio("the same file again / first time", repeated, first, "0.1"));
  await peakOfTenth(context, first, command);
  showDuties(context);
}

function ratio(what: string, { processorSeconds }: Measured, of: Measured, aim: string): Figure {
  return { what, value: processorSeconds / of.processorSeconds, unit: "times", aim };
}

async function peakOfTenth(
  { folder, count, figures }: Context,
  whole: Measured,
  command: string,
): Promise<void> {
  const file = join(folder, "tenth.ndjson");
  const tenth = await writeEvents(buildMonth(count / 10), file, Math.round(count / 10));
  const home = join(folder, "tenth");
  const { peakMb } = await measure([bin, "--home", home, "--quiet", "import", file]);
  for (const one of [home, file]) rmSync(one, { recursive: true });
  figures.add({ what: `peak of \`import\`, ${tenth} events`, value: peakMb, unit: "MB" });
  figures.add({
    what: `peak of \`import\`, ${count} events`,
    value: whole.peakMb,
    unit: "MB",
    aim: "900",
    command,
  });
}

// No number of cores makes `import` faster than this sum divided by that number.
function showDuties({ folder, file, figures }: Context): void {
  const own = join(folder, "duties");
  mkdirSync(own);
  const lines = execFileSync(process.execPath, [duties, file, own], { encoding: "utf8" });
  rmSync(own, { recursive: true });
  for (const line of lines.trim().split("\n")) {
    const { duty, seconds } = JSON.parse(line) as { duty: string; seconds: number };
    figures.add({ what: `duty: ${duty}`, value: seconds, unit: "s of the processor" });
  }
}
