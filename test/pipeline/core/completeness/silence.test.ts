import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../cli/run-cli.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { insertEvents, writePublished } from "../../published-file.ts";

const read = (day: number, state = "finalized"): string => `
  insert into window_reads
    (read_id, run_id, source, window_start, window_end, read_at, state, pages, fetched, inserted, duplicate, quarantined,
     vanished, outside, digest, evidence, signs, neutral, parts, next_followed, half_asked, is_mark)
  values ('w${day}', 'r1', 'default', timestamp '2026-11-0${day}', timestamp '2026-11-0${day + 1}',
    timestamp '2026-11-09', '${state}', 1, 1, 1, 0, 0, 0, 0, 'd', [], [], false, 1, false, false, ${state === "gap"})`;
const at = (time: string) => ({ time: `2026-11-${time}`, name: "job_kill" });

it.each([
  ["of which all was read", [4, 5], 4 * 24],
  ["of which a day was not read", [5], 8],
  ["of which a day was given up as a gap", [5, -4], 8],
])("no pause %s counts as usual", async (_what, days, hours) => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const others = days.map((day) => read(Math.abs(day), day < 0 ? "gap" : "finalized"));
  await writePublished(join(path, "audit.duckdb"), [
    ...[2, 3, 6, 7].map((day) => read(day)),
    ...others,
    // A longer pause, which ended within four weeks and began before them, is none of those.
    insertEvents([
      { time: "2026-10-01 00:00:00", name: "job_kill" },
      at("02 08:00:00"),
      at("02 16:00:00"),
      at("06 16:00:00"),
      at("06 23:00:00"),
    ]),
  ]);
  const argv = ["--home", path, "status", "--json"];
  const { stdout } = await runCli(argv, { now: "2026-11-09T00:00:00Z" });
  const { sources } = JSON.parse(stdout) as { sources: { silence: unknown }[] };
  expect(sources[0]!.silence).toMatchObject({ usual_seconds: hours * 3600 });
});
