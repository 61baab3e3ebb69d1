import { expect, it } from "vitest";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { type AuditRecord, toLoggedEvent } from "../../fixtures/record.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { landUndo } from "../../pipeline/core/landing/undos.ts";
import { readManifests } from "../../pipeline/core/landing/manifests.ts";
import { formatLines } from "../support/home.ts";
import { dayMs, newRemote, type Remote } from "../support/remote.ts";
import { fewOrAll } from "./length.ts";

// Imports are undone in any order, some in interrupted runs, among runs of the service that show some of their
// events. The store equals that of a home without those imports.

const startMs = Date.UTC(2026, 0, 10);
const files = 3;

type Step =
  | { readonly kind: "import"; readonly file: number }
  | { readonly kind: "ingest" }
  | { readonly kind: "undo"; readonly file: number; readonly isBrokenOff: boolean };

type Story = {
  readonly log: readonly AuditRecord[];
  readonly contents: readonly (readonly unknown[])[];
  readonly steps: readonly Step[];
};

function makeRecord(random: Random): AuditRecord {
  // Few values, so that files and the service show many records in common.
  const time = Math.floor((startMs - random.int(1, 2) * dayMs) / 1000) + random.int(0, 30) * 60;
  const id = random.chance(0.5) ? { id: `r${random.int(1, 12)}` } : {};
  return {
    time,
    event_name: random.pick(["job_kill", "user_sign_in"]),
    user_id: random.int(1, 3),
    ...id,
  };
}

function makeStory(seed: number): Story {
  const random = newRandom(seed, "undo");
  const some = (count: number): AuditRecord[] =>
    Array.from({ length: count }, () => makeRecord(random));
  const log = some(12);
  const contents = Array.from({ length: files }, () => [
    ...some(random.int(1, 6)),
    ...log.filter(() => random.chance(0.4)),
    ...(random.chance(0.4) ? [`{"broken":${random.int(1, 2)}`] : []),
  ]);
  // Any file may hold what another one does, too.
  contents[1]!.push(...contents[0]!.filter(() => random.chance(0.7)));
  if (random.chance(0.5)) contents[2] = contents[0]!;
  const loaded: number[] = [];
  const steps: Step[] = [];
  for (let file = 0; file < files; file++) {
    if (random.chance(0.3)) steps.push({ kind: "ingest" });
    steps.push({ kind: "import", file });
    loaded.push(file);
    if (random.chance(0.2)) steps.push(makeUndo(loaded, random));
  }
  if (random.chance(0.7)) steps.push({ kind: "ingest" });
  if (loaded.length > 0) steps.push(makeUndo(loaded, random));
  if (loaded.length > 1 && random.chance(0.5)) steps.push(makeUndo(loaded, random));
  return { log, contents, steps };
}

function makeUndo(loaded: number[], random: Random): Step {
  const [file] = loaded.splice(random.int(0, loaded.length - 1), 1);
  return { kind: "undo", file: file!, isBrokenOff: random.chance(0.4) };
}

async function play(remote: Remote, { log, contents, steps }: Story): Promise<void> {
  const { home, clock } = remote;
  const landing = resolveHome(home.home).landing;
  await remote.serve(log.map((record) => toLoggedEvent(record)));
  const reads = new Map<number, string>();
  for (const [i, step] of steps.entries()) {
    clock.nowMs += 60_000;
    if (step.kind === "ingest") await remote.ingest();
    else if (step.kind === "import") {
      const before = new Set(readManifests(landing).manifests.map(({ read_id: id }) => id));
      const file = home.write(`${i}.ndjson`, formatLines(contents[step.file]!));
      await home.run(["import", file], { now: () => clock.nowMs, env: remote.env() });
      const added = readManifests(landing).manifests.find(({ read_id: id }) => !before.has(id));
      reads.set(step.file, added!.read_id);
    } else await takeBack(remote, reads.get(step.file)!, step.isBrokenOff);
  }
}

async function takeBack(
  { home, clock, env }: Remote,
  readId: string,
  isBrokenOff: boolean,
): Promise<void> {
  const world = { now: () => clock.nowMs, env: env() };
  if (!isBrokenOff) {
    const { code, err } = await home.run(["import", "--undo", readId], world);
    return expect(code, err).toBe(0);
  }
  const { landing } = resolveHome(home.home);
  const { run_id, source } = readManifests(landing).manifests.find(
    (one) => one.read_id === readId,
  )!;
  await landUndo(landing, {
    version: 1,
    read_id: readId,
    run_id,
    source,
    undone_at: "2026-01-10 01:00:00",
  });
}

const facts = [
  "select event_key, event_time, event_name, user_id, id from event_rows order by all",
  "select quarantine_key, record_text from quarantine order by all",
  "select source, subject_kind, subject, first_seen_at, last_seen_at, events from sighting_rows order by all",
  "select user_id, event_date, events from active_day_rows order by all",
  "select * from id_conflicts order by all",
  "select sum(fetched - inserted - duplicate - quarantined) as open, sum(inserted) as inserted from ingest_pages",
  "select sum(inserted) as inserted from window_reads",
];

async function readFacts({ home }: Remote): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const sql of facts) found.push(await home.rows(sql));
  return found;
}

it.each(
  Array.from({ length: Number(process.env["UNDO_STORIES"] ?? fewOrAll(1, 3)) }, (_, i) => i + 1),
)(
  "undone imports leave what would exist without them, also after a rebuild (seed %i)",
  async (seed) => {
    const story = makeStory(seed);
    const undone = new Set(
      story.steps.flatMap((step) => (step.kind === "undo" ? [step.file] : [])),
    );
    const without = story.steps.filter((step) => step.kind === "ingest" || !undone.has(step.file));
    await using given = await newRemote(startMs);
    await using expected = await newRemote(startMs);
    await play(given, story);
    await play(expected, { ...story, steps: without });
    // What broke off is finished by any run that writes.
    for (const { home, clock } of [given, expected])
      await home.run(["import", home.write("none.json", "[]")], {
        now: () => (clock.nowMs += 60_000),
      });
    const facts = await readFacts(expected);
    expect(await readFacts(given)).toEqual(facts);
    const { code, err } = await given.home.run(["rebuild"]);
    expect([code, err]).toEqual([0, expect.stringContaining("same as before")]);
    expect((await readFacts(given)).slice(0, 5)).toEqual(facts.slice(0, 5));
  },
);
