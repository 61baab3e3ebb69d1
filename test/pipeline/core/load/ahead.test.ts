import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { describePage } from "../../../../pipeline/core/landing/store.ts";
import { newStagedAhead, type StagedAhead } from "../../../../pipeline/core/load/ahead.ts";
import { formatLines } from "../../../support/home.ts";
import { temporaryFolder } from "../../../support/load.ts";

const good = formatLines([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
const bad = `[{"time": 1`;

function begin(): StagedAhead {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const own = { shape: { recordsAt: null }, maxRecordBytes: 1e6 };
  return newStagedAhead(resolveHome(path), own, { event_name: "text", id: "text" });
}

/** Stages a file of pages; `fault` is thrown behind them. */
async function stage(ahead: StagedAhead, pages: readonly string[], fault?: Error): Promise<void> {
  await ahead.stageFile((take) => {
    for (const text of pages) {
      const bytes = Buffer.from(text);
      take({ page: describePage(bytes, text === bad ? "json" : "ndjson"), bytes });
    }
    return fault === undefined ? Promise.resolve() : Promise.reject(fault);
  });
}

const readState = ({ batch }: StagedAhead) => ({
  pages: batch.pages.map(({ page }) => page),
  bytes: batch.bytes,
  files: readdirSync(join(batch.folder, "named")).toSorted(),
});

it("a file that fails or is empty leaves nothing, and its numbers go to the next one", async () => {
  const ahead = begin();
  await stage(ahead, [good, good]);
  await expect(stage(ahead, [good], new Error("cut off"))).rejects.toThrow("cut off");
  const first = { pages: [0, 1], bytes: 2 * good.length, files: ["0.ndjson"] };
  expect(readState(ahead)).toEqual(first);
  await stage(ahead, []);
  await stage(ahead, [good]);
  const second = { pages: [0, 1, 2], bytes: 3 * good.length, files: ["0.ndjson", "2.ndjson"] };
  expect(readState(ahead)).toEqual(second);
});

it("a page that cannot be staged ends it, and leaves its file to the load", async () => {
  const ahead = begin();
  await stage(ahead, [good]);
  await stage(ahead, [good, bad, good]);
  await stage(ahead, [good]);
  expect(readState(ahead)).toMatchObject({ pages: [0], bytes: good.length });
});

it("a full batch takes no more pages", async () => {
  const ahead = begin();
  await stage(ahead, Array<string>(501).fill(good));
  expect(ahead.batch.pages).toHaveLength(500);
});
