import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { newHome } from "../../support/home.ts";

const descriptors = "/proc/self/fd";

function openBelow(folder: string): string[] {
  return readdirSync(descriptors).flatMap((fd) => {
    try {
      const file = readlinkSync(`${descriptors}/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      // The one that the folder was read by.
      return [];
    }
  });
}

it.runIf(existsSync(descriptors))("leaves no file open when the reports are done", async () => {
  using home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "1" }]);
  const { code, out } = await home.run(["report", "run", "events_by_day", "--format", "csv"]);
  expect([code, out.split("\n")[0]]).toEqual([0, expect.stringContaining(",")]);
  expect(openBelow(home.home)).toEqual([]);
});
