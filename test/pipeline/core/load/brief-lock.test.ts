import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { newHome } from "../../../support/home.ts";

const records = [{ id: "a", time: 1_763_600_000, event_name: "job_kill", user_id: 1 }];

test.each(["export", "activate"])(
  "a loader waits a moment for an %s that records its delivery",
  async (command) => {
    using home = newHome();
    mkdirSync(home.home, { mode: 0o700 });
    const held = takeLock(resolveHome(home.home).lock, command, Date.now());
    let waits = 0;
    const sleep = (): Promise<void> => {
      if ((waits += 1) === 2) held[Symbol.dispose]();
      return Promise.resolve();
    };
    expect((await home.load(records, { sleep })).code).toBe(0);
    expect(waits).toBe(2);
    expect(await home.count("select count(*) from events")).toBe(1);
  },
);

test("a loader does not wait for another holder of the lock", async () => {
  using home = newHome();
  mkdirSync(home.home, { mode: 0o700 });
  using _held = takeLock(resolveHome(home.home).lock, "ingest", Date.now());
  const sleep = (): Promise<void> => Promise.reject(new Error("waited"));
  expect((await home.load(records, { sleep })).code).toBe(5);
});
