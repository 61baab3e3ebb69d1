import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome("it's here");
  await home.load([
    { time: 1_767_225_600, event_name: "sign_in", id: "a" },
    { time: 1_767_225_601, event_name: "sign_in_failed", id: "b" },
  ]);
});
afterAll(() => home[Symbol.dispose]());

test("the file is written in the syntax of each program", async () => {
  const { code, out, err } = await home.run(["connect"]);
  expect(code, err).toBe(0);
  const path = join(home.home, "audit.duckdb");
  expect(out.split(JSON.stringify(path))).toHaveLength(4);
  expect(out).toContain(`duckdb -readonly '${path.replaceAll("'", String.raw`'\''`)}'\n`);
  expect(out).toContain(`jdbc:duckdb:${path}\n`);
});

test("the snippet for Node runs", async () => {
  const { out } = await home.run(["connect", "node"]);
  const file = home.write("look.mjs", out);
  symlinkSync(resolve("node_modules"), join(home.folder, "node_modules"));
  const printed = execFileSync(process.execPath, [file], { encoding: "utf8" });
  expect(printed).toBe(
    "[\n  { outcome: 'failed', events: '1' },\n  { outcome: 'succeeded', events: '1' }\n]\n",
  );
});

test("without a published file the error prints what to run", async () => {
  using empty = newHome();
  const { code, out, err } = await empty.run(["connect", "python"]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("nothing published yet");
});
