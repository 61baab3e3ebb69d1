import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formatRight } from "../../../../pipeline/answers/access/review/item.ts";
import {
  readSheetDecisions,
  readSheet,
} from "../../../../pipeline/answers/access/review/decisions.ts";
import { projectPath } from "../../../docs/pages.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { startMailServer } from "../../../support/mail-server.ts";
import { serving } from "../../../support/serve.ts";
import { plain } from "../../adapters/destinations/email/setting.ts";
import { right } from "../../answers/access/review/right.ts";
import { render, buildResult, textColumns, temporaryFolder } from "../../answers/report/support.ts";
import { hostileText, liveCells } from "./spreadsheet.ts";

// Every way on which CSV leaves the program, over a log whose names attackers chose.

const names = fc.sample(hostileText, { seed: 9, numRuns: 400 });
const query = "select resource_name as name, user_email as person from events order by event_key";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load(
    names.map((name, at) => ({
      time: 1_767_225_600 + at,
      event_name: "job_kill",
      id: `e${at}`,
      resource_name: name,
      user_email: names.at(-at),
    })),
  );
  home.write("queries/names.sql", `-- title: Names\n-- grain: one row per event\n${query}\n`);
});
afterAll(() => home[Symbol.dispose]());

const inFolder = (): string[] => ["--queries", join(home.folder, "queries")];

async function print(...argv: string[]): Promise<string> {
  const { code, out } = await home.run(argv);
  expect(code).toBe(0);
  return out;
}

const run = (...flags: string[]) => print("report", "run", "names", ...inFolder(), ...flags);

async function exportTo(target: object): Promise<void> {
  const config = home.write("targets.json", JSON.stringify({ targets: { out: target } }));
  const argv = ["export", "names", "--to", "out", "--config", config, ...inFolder()];
  expect(await home.run(argv)).toMatchObject({ code: 0 });
}

const writers: Readonly<Record<string, () => Promise<string>>> = {
  "report run": () => run("--format", "csv"),
  "report run with a semicolon": () => run("--format", "csv", "--separator", ";"),
  "report run as TSV": () => run("--format", "tsv"),
  sql: () => print("sql", query, "--format", "csv"),
  "a file of report run": async () => {
    const path = join(home.folder, "names.csv");
    await run("--out", path);
    return readFileSync(path, "utf8");
  },
  "a download of serve": async () => {
    await using served = await serving(home, ...inFolder());
    return await served.text("/reports/names/rows.csv");
  },
  "a file target": async () => {
    await exportTo({ type: "file", folder: join(home.folder, "out"), file_name: "names" });
    return readFileSync(join(home.folder, "out", "names.csv"), "utf8");
  },
  "an e-mail attachment": async () => {
    await using server = await startMailServer();
    await exportTo({ ...plain, port: server.port, to: "ops@x.example" });
    const { source } = server.arrived[0]!;
    const attached = /csv\r\n(?:.*\r\n)*?\r\n([A-Za-z0-9+/=\r\n]+)/.exec(source)![1]!;
    return Buffer.from(attached, "base64").toString("utf8");
  },
};

it.each(Object.entries(writers))("%s contains no live formula (seed 9)", async (_, write) => {
  const text = await write();
  expect(text.split(/[\r\n]/).length).toBeGreaterThan(names.length);
  expect(liveCells(text, text[4])).toEqual([]);
});

it("a review sheet contains none, and is read as it was exported (seed 10)", async () => {
  const path = join(temporaryFolder(), "sheet.csv");
  const items = fc
    .sample(hostileText, { seed: 10, numRuns: 200 })
    .map((name, at) => ({ ...right, objectId: null, objectName: name, row: `r${at}` }));
  const header = ["right", "person", "way", "decision", "row", "review"];
  const cells = items.map((item) => [formatRight(item), item.person, "policy Analysts (7)"]);
  const rows = cells.map((each, at) => [...each, "keep", `r${at}`, "R1"]);
  const text = await render("csv", buildResult(textColumns(...header), rows));
  expect(liveCells(text)).toEqual([]);
  writeFileSync(path, text);
  const review = { version: 1, review_id: "R1", source: "s", on: "", items, policies: {} } as const;
  const asked = { reviewer: "root", date: "2026-03-02", isReasonNeeded: false };
  expect(readSheetDecisions(readSheet(path), review, asked).size).toBe(items.length);
});

it("only one module writes CSV", () => {
  const files = globSync("**/*.ts", { cwd: projectPath("pipeline") });
  const found = files.filter((file) =>
    readFileSync(projectPath(`pipeline/${file}`), "utf8").includes('"csv-stringify'),
  );
  expect(found).toEqual(["base/rows/delimited.ts"]);
});
