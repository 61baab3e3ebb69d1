import { expect, it } from "vitest";
import { newRandom, type Random } from "../../../../fixtures/random.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { readManifests } from "../../../../pipeline/core/landing/manifests.ts";
import { look, withPublished } from "../../../fault/store.ts";
import { homeWithWarehouse, formatLines, type TestHome } from "../../../support/home.ts";
import { fewOrAll } from "../../../fault/length.ts";

const time = 1_767_225_600;

it("the read and its run are an import, in landing and in the ledger", async () => {
  using home = await homeWithWarehouse();
  expect((await home.load([{ time, event_name: "job_kill" }])).code).toBe(0);
  // Of a run that the database does not have, a rebuild knows only what landing says.
  const { manifests } = readManifests(resolveHome(home.home).landing);
  const runs = await home.rows("select run_id, command from ingest_runs");
  expect(manifests.map(({ run_id, command }) => ({ run_id, command }))).toEqual(runs);
  expect(runs.map(({ command }) => command)).toEqual(["import"]);
});

const readDigest = (home: TestHome): Promise<string> =>
  withPublished(resolveHome(home.home).published, async (query) => (await look(query)).digest);

const importFiles = (home: TestHome, files: readonly (readonly object[])[]) =>
  home.run([
    "import",
    ...files.map((records, i) => home.write(`part-${i}.ndjson`, formatLines(records))),
  ]);

it("the files of one call are one read, with events of one second that differ in an unknown field", async () => {
  using home = await homeWithWarehouse();
  const event = { time, event_name: "job_kill", user_id: 7 };
  const { code, err } = await importFiles(home, [
    [{ ...event, event_id: "a" }],
    [
      { ...event, event_id: "b" },
      { ...event, event_id: "a" },
    ],
  ]);
  expect([code, err]).toEqual([0, expect.stringMatching(/^2 files in /m)]);
  expect(await home.rows("select extra->>'event_id' as id from events order by id")).toEqual([
    { id: "a" },
    { id: "b" },
  ]);
  const reads = "select pages, fetched, inserted, duplicate from window_reads";
  expect(await home.rows(reads)).toEqual([
    { pages: "2", fetched: "3", inserted: "2", duplicate: "1" },
  ]);
});

// A record of a group, with or without something that only the service knows to be its name.
type Drawn = { readonly group: number; readonly shade: number | undefined };

const groups = 60;

function drawFiles(random: Random, count: number): Drawn[][] {
  const records = Array.from({ length: 300 }, (): Drawn => {
    const group = random.int(1, groups);
    return { group, shade: group % 3 === 0 ? undefined : random.int(1, 4) };
  });
  const files = Array.from({ length: count }, (): Drawn[] => []);
  for (const record of records) {
    files[random.int(0, count - 1)]!.push(record);
    if (random.chance(0.3)) files[random.int(0, count - 1)]!.push(record);
  }
  return files;
}

// What differs counts, what is equal as often as the file that has most of it.
function listEvents(files: readonly (readonly Drawn[])[]): Record<string, number> {
  const most = new Map<string, number>();
  for (const file of files)
    for (const [content, equals] of Map.groupBy(file, (one) => JSON.stringify(one)))
      most.set(content, Math.max(most.get(content) ?? 0, equals.length));
  const sums = new Map<string, number>();
  for (const [content, events] of most) {
    const { group } = JSON.parse(content) as Drawn;
    sums.set(`g${group}`, (sums.get(`g${group}`) ?? 0) + events);
  }
  return Object.fromEntries(sums);
}

it.each(fewOrAll([1], [1, 2]))(
  "shards of one call hold each event once in any order, also after a rebuild (seed %i)",
  async (seed) => {
    const random = newRandom(seed, "shards");
    const files = drawFiles(random, random.int(2, 4));
    const buildRecord = ({ group, shade }: Drawn): object => ({
      time: time + group,
      event_name: "job_kill",
      resource_id: `g${group}`,
      ...(shade === undefined ? {} : { event_id: shade }),
    });
    const digests: string[] = [];
    for (const order of [files, files.toReversed()]) {
      using home = await homeWithWarehouse();
      const shards = order.map((file) => file.map(buildRecord));
      expect((await importFiles(home, shards)).code).toBe(0);
      const held = await home.rows(
        "select resource_id, count(*)::int as events from events group by resource_id",
      );
      expect(Object.fromEntries(held.map((row) => [row["resource_id"], row["events"]]))).toEqual(
        listEvents(files),
      );
      digests.push(await readDigest(home));
      expect((await home.run(["rebuild"])).code).toBe(0);
      digests.push(await readDigest(home));
    }
    expect(new Set(digests).size).toBe(1);
  },
);
