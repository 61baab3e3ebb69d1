import { expect, it } from "vitest";
import { type Random, newRandom } from "../../fixtures/random.ts";
import { fewOrAll } from "../fault/length.ts";
import { homeWithWarehouse, formatLines, type TestHome } from "../support/home.ts";

// Ids of several contents after any sequence of imports, prunes and rebuilds, against events that the test counts itself.

type Event = { readonly source: string; readonly id: string | null; readonly day: number };
type Play = {
  readonly home: TestHome;
  readonly random: Random;
  readonly held: Map<string, Event>;
  nowMs: number;
};

const daysOfPlay = 500;
const firstMs = Date.UTC(2025, 0, 1);
const dayMs = 86_400_000;
const dateOf = (day: number): string => new Date(firstMs + day * dayMs).toISOString().slice(0, 10);

async function run(play: Play, ...argv: string[]): Promise<void> {
  const nowMs = (play.nowMs += dayMs);
  const { code, err } = await play.home.run(argv, { now: () => nowMs });
  expect(code, `${argv.join(" ")}: ${err}`).toBe(0);
}

/** Imports new events of near or far days, and some that are there already. */
async function importSome(play: Play, number: number): Promise<void> {
  const { home, random, held } = play;
  const source = random.pick(["first", "second"]);
  const known = [...held].filter(([, event]) => event.source === source).map(([line]) => line);
  const lines = known.filter(() => random.chance(0.1));
  const [from, span] = random.pick([
    [0, daysOfPlay],
    [random.int(0, daysOfPlay - 4), 3],
  ]);
  for (let n = 0; n < 25; n += 1) {
    const day = from + random.int(0, span - 1);
    const id = random.chance(0.1) ? null : `id-${random.int(1, 60)}`;
    const time = firstMs / 1000 + day * (dayMs / 1000);
    const line = JSON.stringify({
      id,
      time,
      event_name: "sign_in",
      resource_name: `${number}-${n}`,
    });
    held.set(line, { source, id, day });
    lines.push(line);
  }
  const file = home.write(`records-${number}.ndjson`, formatLines(lines));
  await run(play, "import", "--source", source, file);
}

async function prune(play: Play): Promise<void> {
  const before = play.random.int(0, daysOfPlay - 100);
  await run(play, "prune", "--events", "--before", dateOf(before), "--yes");
  for (const [line, { day }] of play.held) if (day < before) play.held.delete(line);
}

/** Lists the ids of the stored events, as rows of `id_conflicts`. */
function findConflicts(held: Play["held"]): string[] {
  const days = new Map<string, number[]>();
  for (const { source, id, day } of held.values())
    if (id !== null) days.set(`${source} ${id}`, [...(days.get(`${source} ${id}`) ?? []), day]);
  return [...days]
    .filter(([, of]) => of.length > 1)
    .map(([name, of]) => `${name} ${of.length} ${dateOf(Math.min(...of))}`)
    .toSorted();
}

const conflicts = `select concat_ws(' ', source, id, versions, cast(first_event_time as date)) as line
  from id_conflicts`;

it("ids with several contents are found at any distance, after imports, prunes and rebuilds", async () => {
  for (let seed = 1; seed <= fewOrAll(1, 20); seed += 1) {
    using home = await homeWithWarehouse();
    const nowMs = firstMs + (daysOfPlay + 30) * dayMs;
    const play: Play = { home, random: newRandom(seed, "conflicts"), held: new Map(), nowMs };
    let most = 0;
    for (const [number, action] of [..."iipiirip"].entries()) {
      if (action === "i") await importSome(play, number);
      else if (action === "p") await prune(play);
      else await run(play, "rebuild");
      const expected = findConflicts(play.held);
      const found = (await home.rows(conflicts)).map(({ line }) => String(line)).toSorted();
      expect(found, `seed ${seed}, action ${number}`).toEqual(expected);
      most = Math.max(most, expected.length);
      const named = [...play.held.values()].filter(({ id }) => id !== null);
      expect(await home.count("select count(*) from id_hash_rows")).toBe(named.length);
    }
    expect(most).toBeGreaterThan(10);
  }
});
