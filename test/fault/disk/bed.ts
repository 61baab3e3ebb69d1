import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCompany, listUsers } from "../../../fixtures/company.ts";
import { startService } from "../../../fixtures/service.ts";
import { dayMs } from "../../support/remote.ts";
import { listEvents, markedLog, markField, truthOfMarks, type Truth } from "../log.ts";
import { childEnv } from "../../support/child-env.ts";
import { programPath } from "../../support/killed.ts";
import { testKey } from "../../support/key.ts";
import { watchOutput } from "../../support/output.ts";

export const verbs = ["ingest", "import", "rebuild", "publish", "report", "prune"] as const;
export type Verb = (typeof verbs)[number];

export type Ended = { readonly code: number | null; readonly err: string };

/** A folder with a home in it that holds the first half of a log, and a service that shows all of it. */
export type Bed = AsyncDisposable & {
  readonly folder: string;
  readonly before: Truth;
  readonly after: Truth;
  /** Truth after a prune with events. */
  readonly pruned: Truth;
  /** Runs a verb on a folder of the same content; `prefix` goes in front of the command line. */
  readonly run: (verb: Verb, folder: string, prefix?: readonly string[]) => Promise<Ended>;
};

const key = testKey;
const days = 4;

/** A bed whose log follows from the seed. The second half is in a file as well, for `import`. */
export async function newBed(seed: number): Promise<Bed> {
  const startMs = Date.now();
  const from = Math.floor(startMs / dayMs) * dayMs - days * dayMs;
  const log = markedLog({ seed, from, to: startMs, eventsPerDay: 0 });
  // Equal events come together: alone, the second would count as a repeat of the first.
  const events = [...listEvents(log)].map((event) => {
    const place = Number(String(event.record[markField]).split("-")[1]);
    return { ...event, visibleAt: place % 2 === 0 ? startMs : startMs + 1 };
  });
  let nowMs = startMs;
  const users = listUsers(makeCompany(seed));
  const service = await startService({ records: events, users, apiKey: key, now: () => nowMs });
  const folder = mkdtempSync(join(tmpdir(), "auditlake-bed-"));
  // Pruned events must not be read again by the next run, as far as prune knows.
  for (const [name, lookback] of [
    ["auditlake", `${days + 1}d`],
    ["prune", "1d"],
  ] as const) {
    const source = { base_url: service.url, window: "1d", lookback };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ sources: { bed: source } }));
  }
  const second = events.filter(({ visibleAt }) => visibleAt > startMs);
  writeFileSync(
    join(folder, "second.ndjson"),
    second.map(({ record }) => `${JSON.stringify(record)}\n`).join(""),
  );
  const pruneBefore = from + dayMs;
  mkdirSync(join(folder, "queries"));
  writeFileSync(join(folder, "queries/all_events.sql"), allEvents);
  const times = { fromMs: from, toMs: from + days * dayMs, pruneBeforeMs: pruneBefore };
  const run: Bed["run"] = (verb, at, prefix = []) =>
    runCli([...prefix, process.execPath, programPath, ...readArgv(verb, at, times)]);
  const bed = {
    folder,
    before: truthOfMarks(events.filter(({ visibleAt }) => visibleAt <= startMs)),
    after: truthOfMarks(events),
    pruned: truthOfMarks(
      events.filter((e) => e.visibleAt <= startMs && e.record.time * 1000 >= pruneBefore),
    ),
    run,
    [Symbol.asyncDispose]: async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  // Read twice, the windows are finalized.
  for (const verb of ["ingest", "ingest", "report"] as const) {
    const { code, err } = await run(verb, folder);
    if (code !== 0) throw new Error(`${verb} with enough disk space: ${err}`);
  }
  nowMs = startMs + 1;
  return bed;
}

// A report of some size.
const allEvents = `-- title: What happened?
-- grain: one row per event
-- param: since timestamp = 30d
-- param: until timestamp = now
select * from events where event_time >= $since and event_time < $until order by event_key
`;

type Times = { readonly fromMs: number; readonly toMs: number; readonly pruneBeforeMs: number };

function readArgv(verb: Verb, folder: string, { fromMs, toMs, pruneBeforeMs }: Times): string[] {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const sinceUntil = ["--since", iso(fromMs), "--until", iso(toMs)];
  const queriesAndOut = ["--queries", join(folder, "queries"), "--out", join(folder, "reports")];
  const rest: Readonly<Record<Verb, readonly string[]>> = {
    ingest: [],
    import: [join(folder, "second.ndjson")],
    rebuild: [],
    publish: [],
    report: ["run", "all_events", "activity_by_day", ...sinceUntil, ...queriesAndOut],
    prune: ["--before", iso(pruneBeforeMs), "--events", "--yes"],
  };
  const config = join(folder, verb === "prune" ? "prune.json" : "auditlake.json");
  const global = ["--home", join(folder, "home"), "--config", config];
  return [...global, "--quiet", verb, ...rest[verb]];
}

async function runCli([command, ...argv]: readonly string[]): Promise<Ended> {
  const child = spawn(command!, argv, {
    env: childEnv({ AUDITLAKE_API_KEY: key }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.resume();
  watchOutput(child);
  let err = "";
  child.stderr.on("data", (part: Buffer) => (err += String(part)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, err };
}
