import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { computeSha256 } from "../../../../pipeline/base/home/durable.ts";
import type { Manifest } from "../../../../pipeline/core/landing/manifests.ts";
import { listFilesBelow } from "../../../../pipeline/core/landing/sweep.ts";
import { newPageCache } from "../../../../pipeline/core/load/loader.ts";
import { landPage } from "../../../support/land.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { eventAt, hourMs, newRemote } from "../../../support/remote.ts";

const reads = ["a", "b", "c"];
const step = fc.record({
  what: fc.constantFrom("add", "add", "add", "drop", "load"),
  read: fc.constantFrom(...reads),
  bytes: fc.nat(40),
});

describe("pages that wait in memory", () => {
  it("property: are those that were stored, in their order, within or beyond the memory limit", async () => {
    const { path: landing, remove } = temporaryFolder();
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(100), async (steps, limit) => {
          const held = newPageCache(limit);
          const sent = new Map<string, Buffer[]>(reads.map((read) => [read, []]));
          for (const [i, { what, read, bytes }] of steps.entries()) {
            const pages = sent.get(read)!;
            const page = Buffer.alloc(bytes, i);
            if (what === "add") held.add(read, computeSha256(page), pages[pages.push(page) - 1]!);
            if (what === "drop") held.drop(read);
            if (what !== "load") continue;
            const landed = [];
            for (const one of pages) landed.push(await landPage(landing, one, "json"));
            const manifest = { read_id: read, pages: landed } as unknown as Manifest;
            const found = [];
            for await (const one of held.openPages(landing, manifest)) found.push(one.bytes);
            // Dropped pages, and those beyond the limit, come from the disk.
            expect(found).toEqual(pages);
            sent.set(read, []);
          }
        }),
        { numRuns: 40 },
      );
    } finally {
      remove();
    }
  });

  it("are loaded without reading the disk", async () => {
    const nowMs = Date.UTC(2026, 2, 20, 12);
    const startMs = Date.UTC(2026, 2, 10);
    await using remote = await newRemote(nowMs);
    await remote.serve(
      Array.from({ length: 36 }, (_, i) => eventAt(startMs + i * 6 * hourMs + 1000)),
    );
    const pages = join(remote.home.home, "landing", "pages");
    let others = 0;
    let damaged = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    remote.fault(async (request) => {
      if (!request.url?.startsWith("/v4/audits")) return false;
      if (request.url.includes(`from=${startMs / 1000}&`)) await released;
      else if ((others += 1) === 8) {
        for (const path of listFilesBelow(pages)) writeFileSync(path, "damaged");
        damaged = listFilesBelow(pages).length;
        release();
      }
      return false;
    });
    const range = ["--from", "2026-03-10", "--to", "2026-03-19"];
    expect(await remote.ingest(range)).toMatchObject({ code: 0 });
    expect(damaged).toBeGreaterThan(2);
    expect(await remote.home.rows("select count(*) as n from events")).toEqual([{ n: "36" }]);
  });
});
