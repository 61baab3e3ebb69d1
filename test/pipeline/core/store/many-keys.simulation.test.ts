import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";
import { programPath } from "../../../support/killed.ts";

// Keys that are made up record by record take the space that the records take, not twice as much.

const count = 40_000;
const recordsWith = (keyOf: (record: number, key: number) => string): string =>
  Array.from({ length: count }, (_, record) => {
    const keys = Array.from({ length: 20 }, (_k, key) => `"${keyOf(record, key)}":${key}`);
    return `{"time":1767225600,"event_name":"job_kill","id":"${record}",${keys.join(",")}}\n`;
  }).join("");

const printPeak = "process.on('exit',()=>console.log(process.resourceUsage().maxRSS))";

/** The most memory that an import in a process of its own took, in megabytes, and how many events it has. */
async function readImport(text: string): Promise<{ megabytes: number; events: number }> {
  using home = newHome();
  const path = home.write("records.ndjson", text);
  const config = home.write("auditlake.json", '{"memory_limit":"200MB","threads":1}');
  const node = ["--import", `data:text/javascript,${printPeak}`, programPath];
  const own = ["--home", home.home, "--config", config, "--quiet", "import", path];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, ...own], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const whole = "select count(*) from events where len(json_keys(extra)) = 20";
  return { megabytes: Number(stdout) / 1024, events: await home.count(whole) };
}

it("an unlimited number of keys is loaded in limited memory", { timeout: 120_000 }, async () => {
  const few = await readImport(recordsWith((_record, key) => `key_${10_000 + key}`));
  const many = await readImport(recordsWith((record, key) => `key_${record}_${key}`));
  expect([few.events, many.events]).toEqual([count, count]);
  expect(many.megabytes).toBeLessThan(few.megabytes + 160);
});
