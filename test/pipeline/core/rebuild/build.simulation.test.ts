import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { type Manifest, writeManifest } from "../../../../pipeline/core/landing/manifests.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { landPage } from "../../../support/land.ts";

// A record without an id, which two pages of one read hold: it may be one or two.
const page = Buffer.from('[{"time":1767225600,"event_name":"job_kill","user_id":1}]');

it("the rebuild names the windows without a second read, of reads that no run has loaded", async () => {
  using home = await homeWithWarehouse();
  const { landing } = resolveHome(home.home);
  const landed = await landPage(landing, page, "json");
  const windows = [
    ["2026-01-01", 1],
    ["2026-01-02", 2],
  ] as const;
  for (const [day, reads] of windows)
    for (let read = 1; read <= reads; read++)
      await writeManifest(landing, {
        version: 1,
        read_id: `read-${day}-${read}`,
        run_id: `run-${day}`,
        command: "ingest",
        source: "default",
        window_start: `${day} 00:00:00`,
        window_end: `${day} 01:00:00`,
        window_ms: 3_600_000,
        read_at: `2026-01-03 0${read}:00:00`,
        server_time: null,
        closed: true,
        nightly: false,
        records_at: null,
        pages: [landed, landed],
      } satisfies Manifest);
  const { code, err } = await home.run(["rebuild"]);
  expect(code, err).toBe(0);
  expect(err.match(/window \S+ of default has equal records on different pages/g)).toEqual([
    "window 2026-01-01T00:00:00Z of default has equal records on different pages",
  ]);
});
