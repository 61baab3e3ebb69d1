import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { type Random, newRandom } from "../../../fixtures/random.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { buildSeed } from "../../../pipeline/core/writer/catalog.ts";
import { fillCatalog, rematchEvents } from "../../../pipeline/core/store/catalog.ts";
import { catalog as builtIn, columnSets } from "../../../schemas/generated/catalog.ts";
import { extendCatalog } from "../../../schemas/compile.ts";
import { compareFolds } from "../../queries/folds/all.ts";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import type { Row } from "../../support/rows.ts";
import { fewOrAll } from "../length.ts";

// Events that were loaded under one catalog and then matched with others equal those that were loaded under the last
// one.

const seeds = fewOrAll([1], [1, 2, Number(process.env["REMATCH_SEED"] ?? 3)]);
const firstDay = Date.UTC(2026, 0, 5) / 1000;
const names = ["own_a", "own_b", "old_own", "job_kill", "table_create", "permission_modify", "?"];
const ownPaths = ["/v9/own/:id", "/v9/own/:id/run", "/v9/own", "/entities/own/:id"];
const paths = [...ownPaths, "/v3/job/kill/:id"];

type Record_ = Readonly<Record<string, unknown>>;

function makeRecords(random: Random): Record_[] {
  return Array.from({ length: 60 }, (_, n) => ({
    id: String(n),
    time: firstDay + random.int(0, 9 * 86_400),
    event_name: random.pick(names),
    requested_http_verb: random.pick(["GET", "POST", "DELETE"]),
    requested_path_info: random.pick(paths).replace(":id", String(n)),
    resource_id: String(random.int(1, 5)),
    resource_name: `db${random.int(1, 3)}.thing`,
    user_id: random.int(1, 3),
    ...(random.chance(0.2) ? { event_result: "denied" } : {}),
  }));
}

type Extra = {
  readonly area: string;
  readonly columns: readonly string[];
  readonly events: readonly object[];
};

function makeExtra(random: Random): Extra {
  const own = names.slice(0, 2).filter(() => random.chance(0.7));
  const variants = names.slice(3, 6).filter(() => random.chance(0.5));
  const operations = (): string[] =>
    ownPaths
      .filter(() => random.chance(0.4))
      .map((path) => `${random.pick(["GET", "POST", "DELETE"])} ${path}`);
  const events = [
    ...own.map((event) => ({
      event,
      operations: operations(),
      ...(event === own[0] ? { aliases: ["old_own"] } : {}),
      ...(random.chance(0.3) ? { denial_kind: "unauthorized_action" } : {}),
    })),
    ...variants.map((event) => ({ event, variant: "of one's own", operations: operations() })),
  ].filter(({ operations: some }) => some.length > 0);
  return { area: random.pick(["Own", "Jobs", "Table"]), columns: ["id"], events };
}

const columns =
  "event_key, canonical_name, variant, area, generation, catalog_match, operation, denial_kind, outcome";

function readMatches(home: TestHome): Promise<Row[]> {
  return home.rows(`select ${columns} from events order by event_key`);
}

type Use = (extra: Extra | undefined, ...argv: string[]) => ReturnType<TestHome["run"]>;

function readUse(home: TestHome): Use {
  let configs = 0;
  return async (extra, ...argv) => {
    const file = home.write(`extra-${(configs += 1)}.json`, JSON.stringify(extra ?? {}));
    const content = { catalog: extra === undefined ? {} : { extra: file } };
    const config = home.write(`auditlake-${configs}.json`, JSON.stringify(content));
    const outcome = await home.run(["--config", config, ...argv]);
    expect(outcome).toMatchObject({ code: 0, err: expect.not.stringContaining("catalog.extra") });
    return outcome;
  };
}

async function loadedOnce(records: readonly Record_[], extra: Extra): Promise<Row[]> {
  using home = await homeWithWarehouse();
  await readUse(home)(extra, "import", home.write("all.ndjson", formatLines(records)));
  // Only after the home is deleted.
  return await readMatches(home);
}

function formatLines(records: readonly Record_[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

test.each(seeds)(
  "events are matched again after any earlier catalogs, seed %i",
  { timeout: 120_000 },
  async (seed) => {
    const random = newRandom(seed, "catalogs");
    const records = makeRecords(random);
    const [first, last] = [makeExtra(random), makeExtra(random)] as const;
    const expected = await loadedOnce(records, last);
    using home = await homeWithWarehouse();
    const use = readUse(home);
    await use(first, "import", home.write("a.ndjson", formatLines(records.slice(0, 40))));
    await compareFolds(home, `loaded first, seed ${seed}`);
    const { err } = await use(undefined, "publish");
    if (first.events.length > 0)
      expect(err).toMatch(/the catalog has changed: matching \d+ affected events/);
    await compareFolds(home, `without events of one's own, seed ${seed}`);
    await breakOff(home, last);
    await use(last, "import", home.write("b.ndjson", formatLines(records.slice(40))));
    expect(await readMatches(home)).toEqual(expected);
    await compareFolds(home, `with others, seed ${seed}`);
    expect((await use(last, "publish")).err).not.toMatch(/events (?:matched )?again/);
  },
);

// The change is made and some days are matched; then the run is interrupted, and resumed.
async function breakOff({ home }: TestHome, extra: Extra): Promise<void> {
  const instance = await DuckDBInstance.create(resolveHome(home).warehouse);
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  const content = { file: "extra", content: extra };
  const known = { catalog: extendCatalog(builtIn, columnSets, [content]), extra: "" };
  await fillCatalog(connection, buildSeed(known));
  const printed: string[] = [];
  const stop = new AbortController();
  const print = (line: string): void => {
    if (printed.push(line) > 3) stop.abort();
  };
  const steps = { print, signal: stop.signal };
  await rematchEvents(connection, steps, 1);
  if (printed.length > 0)
    expect(printed.at(-1)).toMatch(
      /^interrupted: the next writing run matches the remaining [1-9]/,
    );
  connection.closeSync();
  instance.closeSync();
}
