import { newRandom, type Random } from "../../../fixtures/random.ts";
import { formatLines, homeWithWarehouse, type TestHome } from "../../support/home.ts";
import type { Row } from "../../support/rows.ts";
import {
  formatBody,
  type Evidence,
  makeGaps,
  type Gap,
  makeHistory,
  operations,
  readEndOf,
  buildRecord,
  renamedRecord,
  type Renaming,
  makeRenamings,
  startMs,
  stateAt,
  type PolicyState,
} from "./evidence.ts";

import { enterReads, type Interval } from "./ledger.ts";

type Histories = ReadonlyMap<string, readonly Evidence[]>;

/** The outcome for some histories: complaints, and what the rows were known from. */
export type Outcome = {
  readonly complaints: readonly string[];
  readonly compared: number;
  readonly evidence: ReadonlySet<string>;
};

/** Plays so many policies in a home of their own and compares every moment of each with the model. */
export async function playHistories(policies: number, seed: number): Promise<Outcome> {
  using home = await homeWithWarehouse();
  const random = newRandom(seed, "evidence");
  const ids = Array.from({ length: policies }, (_, i) => String(100 + i));
  const all = new Map(ids.map((id) => [id, makeHistory(random)]));
  const names = new Map([...all].map(([id, own]) => [id, makeRenamings(random, own)]));
  const gaps = makeGaps(random);
  const readEndMs = readEndOf(random, gaps);
  await load(home, all, names, { gaps, readEndMs }, random);
  const known = [...all.values()].flat();
  // Unread time counts if a snapshot was taken of that time, and if later records refer to it.
  const isAhead = known.some(({ kind, atMs }) => kind === "snapshot" && atMs > readEndMs);
  const end: Gap = { fromMs: readEndMs, untilMs: readEndMs };
  const rows = await home.rows("select * from policy_rights");
  const byPolicy = Map.groupBy(rows, (row) => String(row["policy_id"]));
  const complaints = await wrongNames(home, names, seed);
  let compared = 0;
  for (const [id, own] of all) {
    const isRead = own.some(({ kind }) => kind === "snapshot");
    const isEnded = isAhead && isRead && own.some(({ atMs }) => atMs >= readEndMs);
    const all = isEnded ? [...gaps, end] : gaps;
    for (const atMs of listMoments(own, all)) {
      const [found, expected] = [heldAt(byPolicy.get(id) ?? [], atMs), stateAt(own, all, atMs)];
      compared += 1;
      if (JSON.stringify(found) === JSON.stringify(expected)) continue;
      const when = `seed ${seed}, policy ${id}, ${new Date(atMs).toISOString()}`;
      complaints.push(
        `${when}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
      );
    }
  }
  const kinds = await home.rows("select distinct evidence from access_timeline");
  return { complaints, compared, evidence: new Set(kinds.map((row) => String(row["evidence"]))) };
}

function listMoments(own: readonly Evidence[], gaps: readonly Gap[]): number[] {
  return [
    ...own.flatMap(({ atMs }) => [atMs - 1, atMs, atMs + 250]),
    ...gaps.flatMap(({ fromMs, untilMs }) => [fromMs - 1, fromMs, untilMs - 1, untilMs]),
  ];
}

type Names = ReadonlyMap<string, readonly Renaming[]>;

// The last name counts, and no name is taken for a set.
async function wrongNames(home: TestHome, names: Names, seed: number): Promise<string[]> {
  const rows = await home.rows("select policy_id, policy_name from policies");
  const found = new Map(rows.map((row) => [String(row["policy_id"]), row["policy_name"]]));
  return [...names].flatMap(([id, own]) => {
    const last = own.toSorted((a, b) => a.atMs - b.atMs).at(-1);
    if (last === undefined || found.get(id) === last.name) return [];
    return [`seed ${seed}, policy ${id}: called ${String(found.get(id))}, not ${last.name}`];
  });
}

type Ledger = { readonly gaps: readonly Gap[]; readonly readEndMs: number };

async function load(
  home: TestHome,
  all: Histories,
  names: Names,
  { gaps, readEndMs }: Ledger,
  random: Random,
): Promise<void> {
  const records = [...all].flatMap(([id, own]) => [
    ...own.flatMap((one, n) => (one.kind === "log" ? [buildRecord(id, one, n)] : [])),
    ...names.get(id)!.map((one, n) => renamedRecord(id, one, n)),
  ]);
  // In two files, so that some events come late.
  const [early, late] = Object.values(Object.groupBy(records, () => random.int(0, 1)));
  for (const part of [early, late])
    if (part !== undefined)
      await run(home, "import", home.write("log.ndjson", formatLines(part as never)));
  landSnapshots(home, all);
  await run(home, "rebuild");
  await openGaps(home, gaps, readEndMs, random);
  await run(home, "publish");
}

async function run(home: TestHome, ...argv: string[]): Promise<void> {
  const { code, err } = await home.run(argv);
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}: ${err}`);
}

function landSnapshots(home: TestHome, all: Histories): void {
  const readings = [...all].flatMap(([id, own]) =>
    own.flatMap((one) => (one.kind === "snapshot" ? [{ id, one }] : [])),
  );
  for (const [n, { id, one }] of readings.toSorted((a, b) => a.one.atMs - b.one.atMs).entries()) {
    const read_at = new Date(one.atMs).toISOString();
    const [earliest_at, latest_at] = [-500, 500].map((ms) => new Date(one.atMs + ms).toISOString());
    const body = one.isGone === true ? null : formatBody(one.set);
    const snapshot_id = `s${String(n).padStart(4, "0")}`;
    const content = { version: 1, snapshot_id, source: "default" };
    home.write(
      `home/landing/policies/${snapshot_id}.json`,
      JSON.stringify({
        ...content,
        policies: [{ policy_id: id, read_at, earliest_at, latest_at, body }],
      }),
    );
  }
}

// The ledger of a service that was read except for the gaps: some were given up, some never requested.
async function openGaps(
  home: TestHome,
  gaps: readonly Gap[],
  readEndMs: number,
  random: Random,
): Promise<void> {
  const borders = [startMs - 86_400_000, ...gaps.flatMap(Object.values<number>), readEndMs];
  const reads = borders.slice(0, -1).flatMap((fromMs, i): Interval[] => {
    const isGap = i % 2 === 1;
    if (isGap && random.chance(0.5)) return [];
    return [{ fromMs, untilMs: borders[i + 1]!, state: isGap ? "gap" : "finalized" }];
  });
  await enterReads(home, "default", reads);
}

const getTime = (value: Row[string], none: number): number =>
  value === null ? none : Date.parse(`${String(value).replace(" ", "T")}Z`);

function heldAt(rows: readonly Row[], atMs: number): PolicyState {
  const held = rows.filter(
    (row) =>
      getTime(row["valid_from"], -Infinity) <= atMs && atMs < getTime(row["valid_to"], Infinity),
  );
  const texts = (isIt: (row: Row) => boolean): string[] =>
    held
      .filter(isIt)
      .map((row) => [row["operation"], row["object_id"] ?? []].flat().join(":"))
      .sort((a, b) => operations.indexOf(a) - operations.indexOf(b));
  const isInOrder = (row: Row): boolean =>
    !/, (?:order|time) unknown$/.test(String(row["known_from"]));
  return {
    sure: texts((row) => row["is_certain"] === true || !isInOrder(row)),
    contradicted: texts((row) => row["known_from"] === "contradicted"),
    unknown: texts((row) => row["known_from"] === "gap in the log"),
  };
}
