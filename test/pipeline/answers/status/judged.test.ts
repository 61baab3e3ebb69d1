import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../cli/run-cli.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { writePublished } from "../../published-file.ts";

const now = "2026-11-08T12:00:00Z";
const statements = [
  `insert into ingest_runs
     (run_id, source, command, started_at, finished_at, outcome, windows, pages, fetched, inserted, duplicate,
      quarantined, vanished, requests, retries, bytes, catalog_version, tool_version)
   values ('r1', 'prod', 'ingest', timestamp '2026-11-07 00:30:00', timestamp '2026-11-07 00:30:01', 'done',
      1, 1, 3, 3, 0, 0, 0, 1, 0, 100, 'c', 't')`,
  ...[
    ["w1", "11-05", "11-06", "once"],
    ["w2", "11-04", "11-05", "forgotten"],
  ].map(
    ([id, from, to, reason]) => `insert into window_reads
     (read_id, run_id, source, window_start, window_end, read_at, state, pages, fetched, inserted,
      duplicate, quarantined, vanished, outside, digest, reason, evidence, signs, neutral, parts,
      next_followed, half_asked, is_mark)
   values ('${id}', 'r1', 'prod', timestamp '2026-${from}', timestamp '2026-${to}', timestamp '2026-11-07 00:30:00',
      'closed', 1, 3, 3, 0, 0, 0, 0, 'd', '${reason}', [], [], false, 1, false, false, false)`,
  ),
];

it("a source that is in no configuration is reported, since nothing reads its windows again", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  await writePublished(join(path, "audit.duckdb"), statements);
  const config = join(path, "c.json");
  const listMessages = async (sources: object): Promise<readonly [string, unknown]> => {
    writeFileSync(config, JSON.stringify({ sources }));
    const argv = ["--home", path, "--config", config, "status"];
    const text = await runCli(argv, { now });
    const json = await runCli([...argv, "--json"], { now });
    const { sources: found } = JSON.parse(json.stdout) as { sources: { is_configured: unknown }[] };
    return [text.stdout.replaceAll(/\s+/g, " "), found[0]!.is_configured];
  };
  const [renamed, isThere] = await listMessages({ production: {} });
  expect(isThere).toBe(false);
  expect(renamed).toContain("stopped: sources.prod is not configured");
  expect(renamed).toContain("; no run reads it again before sources.prod is configured");
  const refused = "ingest accept; configure sources.prod first";
  expect(renamed).toContain(refused);
  for (const sources of [{ prod: {} }, {}]) {
    const [text, isIn] = await listMessages(sources);
    expect(isIn).toBe(true);
    expect(text).toContain("; the next run of source prod reads it again");
    expect(text).not.toMatch(/is (?:not )?configured/);
  }
});
