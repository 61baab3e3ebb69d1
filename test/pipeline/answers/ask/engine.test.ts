import { DuckDBInstance } from "@duckdb/node-api";
import { chmodSync, existsSync, readdirSync, readlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { failureLine } from "../../../support/failure.ts";
import { newHome } from "../../../support/home.ts";

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

it.runIf(existsSync(descriptors))("closes every file when the reports are done", async () => {
  using home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "1" }]);
  const { code, out } = await home.run(["report", "run", "events_by_day", "--format", "csv"]);
  expect([code, out.split("\n")[0]]).toEqual([0, expect.stringContaining(",")]);
  expect(openBelow(home.home)).toEqual([]);
});

it("reports a file with the views of another version, with what to do", async () => {
  using home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "1" }]);
  const ask = () => home.run(["report", "run", "events_by_day", "--format", "csv"]);
  const { published } = resolveHome(home.home);
  chmodSync(published, 0o600);
  const change = async (sql: string): Promise<void> => {
    const instance = await DuckDBInstance.create(published);
    const connection = await instance.connect();
    await connection.run(sql);
    connection.closeSync();
    instance.closeSync();
  };
  await change("create or replace view events as select event_time from event_rows");
  // Of the same version it is a fault of another kind, and reported unchanged.
  expect(failureLine(await ask(), 1, [])).toMatch(/events_by_day: Binder Error/);
  await change("update view_versions set view_version = 'of before'");
  expect(failureLine(await ask(), 1, [])).toMatch(/another version.*auditlake publish/);
  const again = await home.run(["publish"]);
  expect([again.code, (await ask()).code]).toEqual([0, 0]);
});
