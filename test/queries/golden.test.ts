import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goldenRuns } from "../support/golden.ts";
import { readingTexts, run, temporaryFolder } from "../support/load.ts";
import { reports } from "./run.ts";

// Every built-in report over the committed records, byte for byte; see fixtures/golden/README.md.
const golden = fileURLToPath(new URL("../../fixtures/golden/", import.meta.url));
const bin = fileURLToPath(new URL("../../pipeline/bin.ts", import.meta.url));
const names = reports.map(({ name }) => name);
const isUpdate = process.env["UPDATE_GOLDEN"] === "1";
const isStrict = Boolean(process.env["CI"]) && !isUpdate;

const folder = temporaryFolder();
afterAll(() => folder.remove());

function commandsFor(place: string): { importing: string[]; running: string[][]; out: string } {
  const [home, out] = [join(place, "home"), join(place, "reports")];
  const [records, users] = [join(golden, "records.ndjson"), join(golden, "users.json")];
  const running = ["--home", home, "report", "run"];
  return {
    importing: ["--home", home, "import", records, "--users", users],
    running: goldenRuns.map((argv) => [...running, ...argv, "--out", out]),
    out,
  };
}

describe("in this process", () => {
  const { importing, running, out } = commandsFor(join(folder.path, "here"));

  beforeAll(async () => {
    for (const argv of [importing, ...running])
      expect(await run(argv, readingTexts)).toMatchObject({ code: 0 });
    if (isUpdate) for (const file of csvFiles(golden)) rmSync(join(golden, file));
  });

  test.each(names)("%s", (name) => {
    const found = readFileSync(join(out, `${name}.csv`), "utf8");
    const path = join(golden, `${name}.csv`);
    if (!existsSync(path) && !isStrict) writeFileSync(path, found);
    expect(existsSync(path), `${path} is missing; run the test without CI to write it`).toBe(true);
    expect(found).toBe(readFileSync(path, "utf8"));
  });

  test("there is a golden for each report and none besides", () => {
    expect(csvFiles(golden)).toEqual(names.map((name) => `${name}.csv`).toSorted());
  });

  test("every report finds something in the records", () => {
    const rows = (file: string): number =>
      readFileSync(join(golden, file), "utf8").split("\r\n").length - 2;
    // Three days hold no days before them, and the ledger of one file no windows; nothing was delivered.
    const empty =
      "api_key_then_new_address connections_used_at_once delivery_history departed_rights late_events quarantined_records two_step_grants undelivered_rows unusual_volumes vanished_events windows_not_final".split(
        " ",
      );
    const found = csvFiles(golden).filter((file) => rows(file) < 1);
    expect(found).toEqual(empty.map((name) => `${name}.csv`));
  });
});

test("the bytes do not depend on the time zone of the machine", async () => {
  const { importing, running, out } = commandsFor(join(folder.path, "elsewhere"));
  const env = { ...process.env, TZ: "America/St_Johns", LC_ALL: "hi_IN.UTF-8" };
  for (const argv of [importing, ...running])
    await promisify(execFile)(process.execPath, [bin, ...argv], { env });
  for (const file of csvFiles(golden))
    expect(readFileSync(join(out, file), "utf8"), file).toBe(
      readFileSync(join(golden, file), "utf8"),
    );
});

function csvFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith(".csv"))
    .toSorted();
}
