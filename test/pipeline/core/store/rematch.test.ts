import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { rematchEvents } from "../../../../pipeline/core/store/catalog.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

it("some days are matched at once, and an interrupted match resumes after the last one", async () => {
  using home = await homeWithWarehouse();
  const dayS = 86_400;
  await home.load(
    Array.from({ length: 6 }, (_, day) => ({
      id: `${day}`,
      time: Date.UTC(2026, 0, 5) / 1000 + day * dayS,
      event_name: "job_kill",
    })),
  );
  const instance = await DuckDBInstance.create(resolveHome(home.home).warehouse);
  const connection = await instance.connect();
  await connection.run("insert into rematch_due values ('job_kill', false, null)");
  const listMessages = async (lines: number): Promise<string[]> => {
    const printed: string[] = [];
    const stop = new AbortController();
    const print = (line: string): void => {
      if (printed.push(line) === lines) stop.abort();
    };
    await rematchEvents(connection, { print, signal: stop.signal }, 2);
    return printed;
  };
  expect(await listMessages(2)).toEqual([
    "the catalog has changed: matching 6 affected events again",
    "2 of 6 events matched again",
    "interrupted: the next writing run matches the remaining 4",
  ]);
  expect(await listMessages(9)).toEqual([
    "the catalog has changed: matching 4 affected events again",
    "2 of 4 events matched again",
    "4 of 4 events matched again",
  ]);
  expect(await listMessages(9)).toEqual([]);
  connection.closeSync();
  instance.closeSync();
});
