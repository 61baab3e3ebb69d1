import { newRandom } from "../../../fixtures/random.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import { testKey } from "../../support/key.ts";
import { listen } from "../sources/service.ts";
import { look, withPublished } from "../store.ts";
import { type Group, computeSecond } from "./groups.ts";
import { type IdPlace, namedAt, buildRecord } from "./oracle.ts";

/** What a home holds in the end. */
export type Holding = {
  readonly held: ReadonlyMap<string, number>;
  readonly conflicts: readonly string[];
  readonly digest: string;
  /** Digest after the database was rebuilt from the raw pages. */
  readonly rebuilt: string;
  readonly complaints: readonly string[];
};

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 4, 6, 7);
// Few groups have short pages, so that equal records are on several of them, too.
const getPageSize = (groups: number): number => (groups < 1000 ? 10 : 1000);

/**
 * Reads an hour repeatedly, one run each, over HTTP into a separate home. Each read of the order is shown twice, with
 * its records on other pages. So equal records without an id count in full, regardless of their pages.
 */
export async function readAll(
  groups: readonly Group[],
  order: readonly number[],
  seed: number,
): Promise<Holding> {
  using home = await homeWithWarehouse();
  const random = newRandom(seed, `pages ${order.join(" ")}`);
  const idPlace = (["id", "event_id", "meta.uuid"] as const)[seed % 3]!;
  let records: readonly object[] = [];
  let nowMs = startMs + hourMs;
  await using server = await listen((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isLog = url.pathname.endsWith("/v4/audits");
    response.setHeader("Date", new Date(nowMs).toUTCString());
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(isLog ? formatPage(records, url) : JSON.stringify({ users: [] }));
  });
  const config = home.write(
    "auditlake.json",
    JSON.stringify(buildConfig(server.origin, groups.length, idPlace)),
  );
  const run = (verb: string): ReturnType<TestHome["run"]> =>
    home.run(["--config", config, "--quiet", verb], {
      env: { AUDITLAKE_API_KEY: testKey },
      now: () => nowMs,
      random: random.next,
    });
  const complaints: string[] = [];
  for (const [place, read] of order.flatMap((read) => [read, read]).entries()) {
    nowMs = startMs + hourMs + (place + 2) * 60_000;
    records = arranged(
      groups,
      read,
      random.pick(["by_time", "newest_first", "shuffled"]),
      random.next,
      idPlace,
    );
    const { code, err } = await run("ingest");
    if (code !== 0) complaints.push(`read ${place} ended with ${code}: ${err.split("\n")[0]}`);
  }
  const before = await readHolding(home);
  const { code, err } = await run("rebuild");
  if (code !== 0) complaints.push(`rebuild ended with ${code}: ${err.split("\n")[0]}`);
  const after = await readHolding(home);
  return { ...before, rebuilt: after.digest, complaints };
}

function buildConfig(origin: string, groups: number, place: IdPlace): object {
  const source = { base_url: origin, window: "1h", lookback: "90m", grace_period: "1m" };
  const audits = {
    paging: { size: getPageSize(groups) },
    ...(place === "id" ? {} : { id_at: place }),
  };
  return {
    threads: 1,
    sources: { grouped: { ...source, audits } },
  };
}

type Arrangement = "by_time" | "newest_first" | "shuffled";

function arranged(
  groups: readonly Group[],
  read: number,
  how: Arrangement,
  chance: () => number,
  place: IdPlace,
): object[] {
  // One record that is never deleted: a log without its beginning agrees with no other read.
  const anchor = {
    time: startMs / 1000,
    event_name: "job_kill",
    ...namedAt(place, "anchor"),
    resource_id: "anchor",
  };
  const placed = groups.flatMap((group) =>
    group.reads[read]!.map((shown) => ({
      record: buildRecord(group, shown, startMs / 1000, place),
      by:
        how === "shuffled" ? chance() : computeSecond(group, shown) * (how === "by_time" ? 1 : -1),
    })),
  );
  const sorted = placed.sort((a, b) => a.by - b.by).map(({ record }) => record);
  return how === "newest_first" ? [...sorted, anchor] : [anchor, ...sorted];
}

function formatPage(records: readonly object[], url: URL): string {
  const number = (name: string): number => Number(url.searchParams.get(name));
  const [from, to, size] = [number("from"), number("to"), number("per_page")];
  const inside = records.filter((record) => {
    const { time } = record as { readonly time: number };
    return time >= from && time < to;
  });
  const start = (number("page") - 1) * size;
  return JSON.stringify(inside.slice(start, start + size));
}

async function readHolding(home: TestHome): Promise<Omit<Holding, "rebuilt" | "complaints">> {
  return withPublished(resolveHome(home.home).published, async (query) => {
    const rows = await query(
      "select resource_id, count(*) as held from events where id is distinct from 'anchor' group by resource_id",
    );
    const conflicts = await query("select distinct id from id_conflicts order by id").catch(
      () => [],
    );
    const { digest } = await look(query);
    return {
      held: new Map(rows.map((row) => [String(row["resource_id"]), Number(row["held"])])),
      conflicts: conflicts.map((row) => String(row["id"])),
      digest,
    };
  });
}
