import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { childEnv } from "../support/child-env.ts";
import { programPath } from "../support/killed.ts";
import { dayMs, eventAt, newRemote } from "../support/remote.ts";

// The process goes by the real time.
const start = Math.floor(Date.now() / dayMs) * dayMs - 8 * dayMs;
const padding = "x".repeat(20_000);
const perDay = 1_500;

it("a load does not collect garbage every few megabytes that it receives", async () => {
  await using remote = await newRemote(Date.now());
  const events = Array.from({ length: 7 * perDay }, (_, i) =>
    eventAt(start + (i * dayMs) / perDay, i, { arguments: `${i}${padding}` }),
  );
  await remote.serve(events);
  const range = ["--from", new Date(start).toISOString(), "--no-confirm"];
  const argv = [programPath, "--home", remote.home.home, "--progress", "none", "ingest", ...range];
  const child = spawn(process.execPath, ["--trace-gc", ...argv], {
    env: childEnv(remote.env()),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const printed = await text(child.stdout);
  expect(await remote.home.count("select count(*) from events")).toBe(events.length);
  const collections = printed.match(/Mark-Compact/g) ?? [];
  expect(collections.length).toBeGreaterThan(0);
  // Of 210 MB; the language's own pace gives 20 to 24, ours 8 or 9.
  expect(collections.length).toBeLessThan(15);
});
