import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCompany, listUsers } from "../../../fixtures/company.ts";
import { newRandom, type Random } from "../../../fixtures/random.ts";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { startService } from "../../../fixtures/service.ts";
import { testKey } from "../../support/key.ts";
import { dayMs } from "../../support/remote.ts";
import { listEvents, markedLog, markField, truthOfMarks, type Truth } from "../log.ts";
import { toBytes, type Moment } from "./calls.ts";
import { layOutNow } from "./cut.ts";
import { recordCli } from "./record.ts";
import { newReplay } from "./replay.ts";

export const verbs = [
  "ingest",
  "import",
  "publish",
  "prune",
  "prune events",
  "rebuild",
  "activate",
] as const;
export type Verb = (typeof verbs)[number];

/** What a home may hold: undefined where nothing was published. */
export type Held = {
  readonly published: Truth | undefined;
  readonly healed: Truth;
  /** Whether everything that is published has been delivered. */
  readonly isDelivered: boolean;
};

/** A command of a story, with its places among the moments of the story. */
export type Step = {
  readonly what: string;
  readonly start: number;
  /** From here on it has reported what it has done. */
  readonly printed: number;
  /** From here on it has come to its end. */
  readonly end: number;
  readonly isKilled: boolean;
  readonly after: Held;
};

/** Commands on one home, one after the other, with everything that they did to its files. */
export type Story = AsyncDisposable & {
  /** Folder that the recording is about, and the place of the home below it. */
  readonly folder: string;
  readonly moments: readonly Moment[];
  readonly steps: readonly Step[];
  /** Moments that changed something or made it safe. */
  readonly places: readonly number[];
  /** Options that the command line needs for a home below another folder. */
  readonly optionsFor: (folder: string) => string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether events were pruned, so that the sums of the ledger are more than the events. */
  readonly isPruned: boolean;
};

/** Place of the home below the folder: the folder above it is new, too. */
export const homeBelow = "data/home";
/** Place of what is delivered, which is new as well. */
export const deliveredBelow = "data/sent/events";
const days = 2;
const groups = 5;
// What only the imported file has.
const ofFile = 4;
const moreVerbs = 3;

/** Records a story that follows from the seed; `commands` after the first two, as many as usual if left out. */
export async function newStory(seed: number, commands = moreVerbs): Promise<Story> {
  const random = newRandom(seed, "power");
  const bed = await newBed(seed, random);
  const moments: Moment[] = [];
  const steps: Step[] = [];
  try {
    const verbList = choose(random, commands);
    for (const [place, verb] of ["ingest" as const, ...verbList].entries()) {
      // What a killed run has read, the next one reads again.
      if (place !== 1) bed.grow();
      const { moments: all, printed } = await recordCli(bed.argvOf(verb), bed.env, bed.folder);
      const isKilled = place === 0;
      const own = isKilled ? kill(all, bed.folder, random) : all;
      const start = moments.length;
      const printedCount = isKilled ? own.length : printed + 1;
      for (const moment of own) moments.push(moment);
      const after = bed.done(verb);
      const end = moments.length;
      steps.push({
        what: isKilled ? "ingest, killed" : verb,
        start,
        printed: start + printedCount,
        end,
        isKilled,
        after,
      });
      if (isKilled) restoreFolder(moments, bed.folder);
    }
  } catch (error) {
    await bed.close();
    throw error;
  }
  return {
    folder: bed.folder,
    moments,
    steps,
    places: readChanges(moments, bed.folder),
    optionsFor: bed.optionsFor,
    env: bed.env,
    isPruned: steps.some(({ what }) => what === "prune events"),
    [Symbol.asyncDispose]: bed.close,
  };
}

function choose(random: Random, commands: number): Verb[] {
  const list: Verb[] = ["ingest"];
  while (list.length <= commands) {
    const verb = random.pick(verbs);
    // Events are pruned only if two runs have found the same: the first does not see all yet.
    const isTooEarly =
      verb === "prune events" && list.filter((each) => each === "ingest").length < 3;
    if (isTooEarly) list.push("ingest");
    else if (verb === "ingest" || !list.includes(verb)) list.push(verb);
  }
  return list;
}

// Half of the kills come when a folder was just made: its parent is not synced then, and the next run finds it. For
// the last of the pages' folders no later one causes a sync of the parent.
function kill(moments: readonly Moment[], folder: string, random: Random): Moment[] {
  const places = readChanges(moments, folder);
  const made = places.filter((place) => moments[place]!.call.name === "mkdir");
  const last = made.findLast((place) => toBytes(moments[place]!.call.args[0]!).includes("/pages/"));
  const kind = random.next();
  const place = kind < 0.25 ? (last ?? random.pick(made)) : random.pick(kind < 0.5 ? made : places);
  return moments.slice(0, place + 1);
}

function readChanges(moments: readonly Moment[], folder: string): number[] {
  const replay = newReplay(folder);
  return moments.flatMap((moment, place) => (replay.take(moment) ? [place] : []));
}

function restoreFolder(moments: readonly Moment[], folder: string): void {
  const replay = newReplay(folder);
  for (const moment of moments) replay.take(moment);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  layOutNow(replay.root, folder);
}

type Bed = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly argvOf: (verb: Verb) => string[];
  readonly optionsFor: (folder: string) => string[];
  /** Lets the service show more. */
  readonly grow: () => void;
  /** Content once a verb is done. */
  readonly done: (verb: Verb) => Held;
  readonly close: () => Promise<void>;
};

async function newBed(seed: number, random: Random): Promise<Bed> {
  const startMs = Date.now();
  const from = Math.floor(startMs / dayMs) * dayMs - days * dayMs;
  const log = markedLog({ seed, from, to: startMs, eventsPerDay: 0, share: 0.15 });
  const pruneBeforeMs = from + dayMs;
  // Equal events come together: alone, the second would be taken for the first.
  const all = [...listEvents(log)].map((event) => {
    const group = Number(String(event.record[markField]).split("-")[1]) % groups;
    return { ...event, group, visibleAt: startMs + Math.max(0, group - 1) };
  });
  const events = all.filter(({ group }) => group !== ofFile);
  const inFile = all.filter(({ group, time }) => group === ofFile && time * 1000 >= pruneBeforeMs);
  let step = 0;
  const service = await startService({
    records: events,
    users: listUsers(makeCompany(seed)),
    apiKey: testKey,
    now: () => startMs + step,
  });
  const top = mkdtempSync(join(tmpdir(), "auditlake-power-"));
  const folder = join(top, "disk");
  mkdirSync(folder);
  const size = random.int(4, 15);
  const activation = {
    activation_actions_table: "events",
    id_key: "event_key",
    activation_mappings: [
      { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
    ],
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: join(folder, deliveredBelow) },
  };
  // Pruned events must not be read again by the next run, as far as prune knows.
  for (const [name, lookback] of [
    ["auditlake", `${days + 1}d`],
    ["prune", "1d"],
  ] as const) {
    const source = { base_url: service.url, window: "1d", lookback, audits: { paging: { size } } };
    const config = { threads: 1, sources: { bed: source }, activations: { all: activation } };
    writeFileSync(join(top, `${name}.json`), JSON.stringify(config));
  }
  const file = join(top, "records.ndjson");
  writeFileSync(file, inFile.map(({ record: each }) => `${JSON.stringify(each)}\n`).join(""));
  const globals = (at: string, config: string): string[] => [
    "--home",
    join(at, homeBelow),
    "--config",
    join(top, config),
  ];
  const prune = ["prune", "--before", new Date(pruneBeforeMs).toISOString(), "--yes"];
  const rest: Readonly<Record<Verb, readonly string[]>> = {
    ingest: ["ingest"],
    import: ["import", file],
    publish: ["publish"],
    prune,
    "prune events": [...prune, "--events"],
    rebuild: ["rebuild"],
    activate: ["activate", "all"],
  };
  let held: LoggedEvent[] = [];
  let isImported = false;
  let isDelivered = false;
  return {
    folder,
    env: { AUDITLAKE_API_KEY: testKey },
    argvOf: (verb) => [
      ...globals(folder, verb.startsWith("prune") ? "prune.json" : "auditlake.json"),
      ...rest[verb],
    ],
    optionsFor: (at) => globals(at, "auditlake.json"),
    grow: () => void (step += 1),
    done: (verb) => {
      isImported ||= verb === "import";
      // Neither changes an event.
      isDelivered = verb === "activate" || (isDelivered && ["publish", "rebuild"].includes(verb));
      const extra = isImported ? inFile : [];
      if (verb === "ingest")
        held = [...events.filter(({ visibleAt }) => visibleAt <= startMs + step), ...extra];
      if (verb === "import") held = [...held, ...extra];
      if (verb === "prune events") held = held.filter(({ time }) => time * 1000 >= pruneBeforeMs);
      const healed = truthOfMarks([...events, ...extra]);
      return { published: truthOfMarks(held), healed, isDelivered };
    },
    close: async () => {
      await service.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}
