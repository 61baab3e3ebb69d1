import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { preparePublications } from "../../../../pipeline/adapters/serve/publications.ts";
import type { Site } from "../../../../pipeline/adapters/serve/site.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeAll(() => {
  folder = temporaryFolder();
  path = join(folder.path, "audit.duckdb");
});
afterAll(() => folder.remove());

function publish(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

it("prepares each publication after the first one once, also after a failure and while the file is missing", async () => {
  publish("1");
  const stop = new AbortController();
  const site = {
    settings: { home: { published: path } },
    world: { signal: stop.signal },
  } as unknown as Site;
  let prepared = 0;
  const running = preparePublications(
    site,
    () => {
      prepared += 1;
      return Promise.reject(new Error("busy"));
    },
    1,
  );
  for (const text of ["22", "333"]) {
    const before = prepared;
    rmSync(path);
    publish(text);
    await vi.waitUntil(() => prepared > before);
  }
  stop.abort();
  await running;
  expect(prepared).toBe(2);
});
