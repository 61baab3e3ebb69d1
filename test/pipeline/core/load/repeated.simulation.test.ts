import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toLoggedEvent, type AuditRecord } from "../../../../fixtures/record.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { readManifests, type Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { toReadFacts } from "../../../../pipeline/core/load/loader.ts";
import { findRepeatedRead } from "../../../../pipeline/core/load/read.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { hourMs, newRemote, type Remote } from "../../../support/remote.ts";
import { readCopy, homeWithWarehouse, type TestHome } from "../../../support/home.ts";

const limits = { memoryLimit: "500MB", threads: 1 };

/** The read that this one repeats, as the load finds it. */
async function findRepeated(home: TestHome, manifest: Manifest): Promise<string | undefined> {
  const { published, landing } = resolveHome(home.home);
  await using database = await openPublished(published, limits);
  const found = await findRepeatedRead(
    database.connection,
    landing,
    toReadFacts(manifest),
    manifest,
  );
  return found?.readId;
}

const records = Array.from({ length: 20 }, (_, i) => ({
  time: 1767225600 + i,
  event_name: "x",
  id: `${i}`,
}));

describe("a file that is imported again", () => {
  let made: TestHome;
  let home: TestHome;
  let [first, second]: Manifest[] = [];
  beforeAll(async () => {
    made = await homeWithWarehouse();
    await made.load([...records, "not json"]);
    await made.load([...records, "not json"]);
    [first, second] = readManifests(resolveHome(made.home).landing).manifests;
  });
  afterAll(() => made[Symbol.dispose]());
  beforeEach(() => void (home = readCopy(made)));
  afterEach(() => home[Symbol.dispose]());

  it("is recognized by its pages, and counted as the first time, with nothing new", async () => {
    expect(await findRepeated(home, second!)).toBe(first!.read_id);
    const counts = "fetched, inserted, duplicate, quarantined";
    expect(await home.rows(`select ${counts} from ingest_pages order by read_id`)).toEqual([
      { fetched: "21", inserted: "20", duplicate: "0", quarantined: "1" },
      { fetched: "21", inserted: "0", duplicate: "20", quarantined: "1" },
    ]);
    expect(await home.count("select count(distinct digest) from window_reads")).toBe(1);
    expect(await home.count("select count(*) from quarantine")).toBe(1);
  });

  const page = (): Manifest["pages"][number] => second!.pages[0]!;
  const others: Readonly<Record<string, () => Partial<Manifest>>> = {
    "has another page behind": () => ({ pages: [page(), page()] }),
    "has no page": () => ({ pages: [] }),
    "is of another form": () => ({ pages: [{ ...page(), format: "json" }] }),
    "was asked for in parts": () => ({ pages: [{ ...page(), part: 1 }] }),
    "has its records elsewhere": () => ({ records_at: "data.items" }),
    "allows shorter records": () => ({ max_record_bytes: 100 }),
    "is of another source": () => ({ source: "other" }),
    "is of a window": () => ({
      window_start: "2026-01-01 00:00:00",
      window_end: "2026-01-02 00:00:00",
    }),
  };
  it.each(Object.entries(others))("is loaded if it %s", async (_what, change) => {
    expect(await findRepeated(home, { ...second!, ...change() })).toBeUndefined();
  });

  it("is loaded again if its events were pruned since", async () => {
    const prune = ["prune", "--events", "--before", "2026-02-01", "--yes"];
    expect((await home.run(prune)).code).toBe(0);
    expect(await home.count("select count(*) from events")).toBe(0);
    expect(await findRepeated(home, second!)).toBeUndefined();
    expect((await home.load([...records, "not json"])).code).toBe(6);
    expect(await home.count("select count(*) from events")).toBe(20);
  });

  it("that starts like a previous one adds the rest", async () => {
    const more = { ...records[0]!, id: "more" };
    expect((await home.load([...records, "not json", more])).code).toBe(6);
    expect(await home.count("select count(*) from events")).toBe(21);
  });
});

describe("a window that is read again", () => {
  const start = Date.UTC(2026, 2, 1);
  const event = (name: string, hour: number, id?: string) =>
    toLoggedEvent({
      time: (start + hour * hourMs) / 1000,
      event_name: name,
      ...(id === undefined ? {} : { id }),
    } as AuditRecord);
  let remote: Remote;
  beforeEach(async () => {
    remote = await newRemote(start + 12 * hourMs);
  });
  afterEach(() => remote[Symbol.asyncDispose]());
  const audits = { paging: { size: 2 } };
  const cli = (...argv: string[]) => {
    const config = remote.home.write("c.json", JSON.stringify({ sources: { a: { audits } } }));
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    return remote.home.run(["--config", config, "--source", "a", ...argv], world);
  };
  const open = (): Manifest =>
    readManifests(resolveHome(remote.home.home).landing).manifests.findLast(
      ({ window_start: from }) => from?.startsWith("2026-03-01"),
    )!;

  it("is not loaded if each page is unchanged, until other events of it arrived", async () => {
    await remote.serve([event("x", 1, "1"), event("y", 2, "2"), event("z", 3, "3")], {
      pageCap: 2,
    });
    for (const _ of [1, 2]) {
      expect((await cli("ingest")).code).toBe(0);
      remote.clock.nowMs += 60_000;
    }
    const again = { ...open(), read_id: "later", read_at: "2026-03-01 13:00:00" };
    expect(await findRepeated(remote.home, again)).toBe(open().read_id);
    const late = remote.home.write(
      "late.ndjson",
      `${JSON.stringify(event("late", 2, "4").record)}\n`,
    );
    expect((await cli("import", late)).code).toBe(0);
    expect(await findRepeated(remote.home, again)).toBeUndefined();
    expect((await cli("ingest")).code).toBe(0);
    const vanished = "select vanished from window_reads where inserted = 0 order by read_at desc";
    // No read of the window has shown what a file brought.
    expect(await remote.home.count(vanished)).toBe(0);
    const next = { ...open(), read_id: "later", read_at: "2026-03-01 14:00:00" };
    expect(await findRepeated(remote.home, next)).toBe(open().read_id);
    remote.clock.nowMs += 60_000;
    expect((await cli("ingest")).code).toBe(0);
    expect(await remote.home.count(vanished)).toBe(0);
    // An event that comes in two forms other than before is missing once.
    const forms = ["u", "v"].map((name) => event(name, 1, "1"));
    await remote.serve([...forms, event("y", 2, "2"), event("z", 3, "3")]);
    remote.clock.nowMs += 60_000;
    expect((await cli("ingest")).code).toBe(0);
    const newest = "select vanished from window_reads where inserted = 2 order by read_at desc";
    expect(await remote.home.count(newest)).toBe(1);
  });

  it("counts no event twice if it is open and a page comes twice, in each read alike", async () => {
    const log = ["a", "b", "same", "other", "c", "d", "e"].map((name, hour) => event(name, hour));
    await remote.serve(log, { pageCap: 2 });
    // In the place of the third page of the whole day the second one comes again.
    remote.fault((request) => {
      const url = new URL(request.url!, "http://x");
      const seconds = Number(url.searchParams.get("to")) - Number(url.searchParams.get("from"));
      if (seconds === 86_400 && url.searchParams.get("page") === "3")
        request.url = request.url!.replace(/\bpage=3\b/, "page=2");
      return false;
    });
    for (const _ of [1, 2]) {
      const { code, err } = await cli("ingest");
      expect([code, err]).toEqual([0, expect.not.stringMatching(/^(warning|error)/m)]);
      remote.clock.nowMs += 60_000;
    }
    const names = "select string_agg(event_name, ' ' order by event_time, event_name) as n";
    const [found] = await remote.home.rows(`${names} from events`);
    expect(found).toEqual({ n: "a b same other c d e" });
  });

  it("is loaded if equal records of it waited for an agreeing read", async () => {
    // In one second, so that no read can ask for the window in parts.
    const log = ["x", "same", "same", "y"].map((name) => event(name, 2));
    await remote.serve(log, { pageCap: 2 });
    expect((await cli("ingest")).code).toBe(0);
    expect(await remote.home.count("select max(withheld) from window_reads")).toBeGreaterThan(0);
    // The first read in the place of the second, which agreed with it.
    expect(await findRepeated(remote.home, open())).toBeUndefined();
    expect(await findRepeated(remote.home, { ...open(), read_id: "later" })).toBe(open().read_id);
    remote.clock.nowMs += 60_000;
    expect((await cli("ingest")).code).toBe(0);
    const doubtful = "select count(distinct doubtful) from window_reads where fetched = 4";
    expect(await remote.home.count(doubtful)).toBe(1);
  });

  it("adds nothing if the service has deleted its beginning", async () => {
    const late = event("z", 3, "3");
    await remote.serve([event("x", 1, "1"), event("y", 2, "2"), late]);
    await cli("ingest");
    remote.clock.nowMs = start + 26 * hourMs;
    await remote.serve([late]);
    for (let run = 0; run < 3; run++) expect((await cli("ingest")).code).toBe(0);
    const reads = await remote.home.rows(
      "select state, reason, neutral from window_reads where window_start = '2026-03-01' order by read_at, read_id",
    );
    expect(reads[0]).toMatchObject({ state: "open", neutral: false });
    expect(reads.length).toBeGreaterThan(3);
    for (const read of reads.slice(1))
      expect(read).toEqual({ state: "closed", reason: "forgotten", neutral: true });
  });
});
