import fc from "fast-check";
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toLoggedEvent } from "../../../../fixtures/record.ts";
import { newJournal } from "../../../../pipeline/core/landing/journal.ts";
import {
  readManifests,
  listNamedFiles,
  backUpManifest,
  writeManifest,
  type Manifest,
} from "../../../../pipeline/core/landing/manifests.ts";
import { type LandedPage } from "../../../../pipeline/core/landing/store.ts";
import { landPage } from "../../../support/land.ts";
import { listFilesBelow, sweepLanding } from "../../../../pipeline/core/landing/sweep.ts";
import { writeTombstone } from "../../../../pipeline/core/landing/tombstones.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { dayMs, hourMs, newRemote } from "../../../support/remote.ts";

function buildManifest(readId: string, pages: LandedPage[]): Manifest {
  const times = { window_start: null, window_end: null, server_time: null, records_at: null };
  const common = { version: 1, command: "ingest", source: "s", run_id: "r", window_ms: 1000 };
  const rest = { read_at: "2026-01-01 00:00:00", closed: false, nightly: true };
  return { ...common, ...times, ...rest, read_id: readId, pages } as Manifest;
}

const pagesIn = (folder: string): string[] =>
  listFilesBelow(join(folder, "pages")).map((path) => path.slice(-68, -4));

// The outcome of a read: it is complete, fails, is killed before or after its manifest, is pruned, or damaged.
const fates = [
  "whole",
  "failed",
  "cut line",
  "killed after",
  "buried",
  "aside",
  "damaged",
] as const;
const read = fc.record({
  pages: fc.array(fc.nat(5), { maxLength: 4 }),
  fate: fc.constantFrom(...fates, "whole", "failed"),
  // Whether the next run begins after it.
  isLast: fc.boolean(),
});

async function play(folder: string, id: string, { pages, fate }: Played): Promise<LandedPage[]> {
  const journal = newJournal(folder, id);
  const landed: LandedPage[] = [];
  for (const page of pages)
    landed.push(await landPage(folder, Buffer.from(`[${page}]`), "json", journal.note));
  if (fate === "cut line" && pages.length > 0)
    appendFileSync(join(folder, "begun", id), landed[0]!.sha256.slice(0, 20));
  if (fate === "failed" || fate === "cut line") return [];
  const manifest = buildManifest(id, landed);
  await writeManifest(folder, manifest);
  if (fate !== "killed after") journal.end();
  if (fate === "aside") backUpManifest(folder, id, 0);
  if (fate === "damaged") writeFileSync(join(folder, "reads", `${id}.json`), "{");
  if (fate === "buried") {
    const times = { pruned_at: "2026-01-02", before: "2026-01-01" };
    const none = { events: 0, quarantined: 0, with_events: false, source: null };
    await writeTombstone(folder, {
      version: 1,
      prune_id: id,
      ...times,
      ...none,
      reads: [manifest],
    });
    rmSync(join(folder, "reads", `${id}.json`));
  }
  return landed;
}
type Played = { readonly pages: readonly number[]; readonly fate: (typeof fates)[number] };

describe("the sweep of unreferenced pages", () => {
  it("property: removes exactly those that are certainly not needed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(read, { maxLength: 8 }), async (reads) => {
        const { path: folder, remove } = temporaryFolder();
        try {
          const named = new Set<string>();
          let isHeld = false;
          for (const [i, one] of reads.entries()) {
            const landed = await play(folder, `read-${i}`, one);
            for (const { sha256 } of landed) named.add(sha256);
            isHeld ||= one.fate === "aside" || one.fate === "damaged";
            const before = pagesIn(folder);
            if (!one.isLast) continue;
            await sweepLanding(folder);
            const expected = isHeld ? before : before.filter((sha256) => named.has(sha256));
            expect(pagesIn(folder).sort()).toEqual(expected.sort());
            expect(new Set(pagesIn(folder)).isSupersetOf(named)).toBe(true);
          }
          // Once the doubtful manifests are deleted, so are the pages that only they would have referenced.
          rmSync(join(folder, "damaged"), { recursive: true, force: true });
          await sweepLanding(folder);
          if (reads.some(({ fate }) => fate === "damaged")) return;
          const kept = new Set(pagesIn(folder));
          expect(named.isSupersetOf(kept)).toBe(true);
          expect(listFilesBelow(join(folder, "begun"))).toEqual([]);
        } finally {
          remove();
        }
      }),
      { numRuns: 30 },
    );
  });

  it("removes the temporary files of killed reads, and checks no page if none was killed", async () => {
    const { path: folder, remove } = temporaryFolder();
    try {
      const { sha256 } = await landPage(
        folder,
        Buffer.from("[]"),
        "json",
        newJournal(folder, "a").note,
      );
      const drafts = [join("pages", sha256.slice(0, 2)), "reads", "users"].map((name) => {
        mkdirSync(join(folder, name), { recursive: true });
        return join(folder, name, ".0123456789ab.tmp");
      });
      for (const draft of drafts) writeFileSync(draft, "");
      await sweepLanding(folder);
      expect(listFilesBelow(folder)).toEqual([]);
      rmSync(join(folder, "pages"), { recursive: true });
      // What cannot be listed is not listed.
      writeFileSync(join(folder, "pages"), "");
      await sweepLanding(folder);
      expect(readdirSync(folder)).toContain("pages");
    } finally {
      remove();
    }
  });
});

it("leaves the files of its manifests, each once, after a failed run", async () => {
  const start = Date.UTC(2026, 2, 1);
  await using remote = await newRemote(start + 2 * hourMs);
  const landing = join(remote.home.home, "landing");
  const events = (count: number, note: string) =>
    Array.from({ length: count }, (_, i) =>
      toLoggedEvent({ time: start / 1000 - 60 - i, event_name: "job_kill", id: `${note}-${i}` }),
    );
  const argv = ["--from", "2026-02-28", "--to", "2026-03-01"];
  await remote.serve(events(30, "a"), { pageCap: 10 });
  let isBroken = true;
  remote.fault((request, response) => {
    const isLast = /[?&]page=[34]\b/.test(request.url ?? "");
    if (isBroken && isLast) response.writeHead(401).end();
    return isBroken && isLast;
  });
  expect((await remote.ingest(argv)).code).toBe(4);
  expect(pagesIn(landing)).toEqual([]);
  isBroken = false;
  remote.clock.nowMs += hourMs;
  // The second page is another one by now.
  await remote.serve([...events(10, "a"), ...events(20, "b")], { pageCap: 10 });
  expect((await remote.ingest(argv)).code).toBe(0);
  const manifests = readManifests(landing).manifests;
  expect(manifests.flatMap(({ pages }) => pages)).toHaveLength(3);
  expect(pagesIn(landing).sort()).toEqual([...listNamedFiles(manifests)].sort());
  expect(listFilesBelow(join(landing, "begun"))).toEqual([]);
  expect(start % dayMs).toBe(0);
});
