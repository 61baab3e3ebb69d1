import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { programPath } from "../../../support/killed.ts";

// The prompt as a person has it: on a terminal of its own, key by key.

const ctrlC = "\u0003";
const up = "\u001b[A";
const endless = "select count(*) from range(10000000000) a, range(1000000) b;";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load(
    Array.from({ length: 70 }, (_, i) => ({
      time: 1_767_225_600 + i,
      event_name: "table_create",
      id: `a${i}`,
      resource_name: i === 0 ? "\u001b[31mred\u202E" : `t${i}`,
    })),
  );
});
afterAll(() => home[Symbol.dispose]());

type Step = readonly [awaited: string, keys: string];
type Ended = { code: number; shown: string };

// Each step waits for its text after that of the step before, and types.
async function type(steps: readonly Step[], columns = 80, argv = "sql"): Promise<Ended> {
  const command = `stty cols ${columns} rows 30; exec "${process.execPath}" "${programPath}" --home "${home.home}" ${argv}`;
  const child = spawn("script", ["-qec", command, "/dev/null"]);
  const left = [...steps];
  let [shown, seen] = ["", 0];
  for await (const part of child.stdout) {
    shown += String(part);
    for (let at; left[0] && (at = shown.indexOf(left[0][0], seen)) >= 0;) {
      seen = at + left[0][0].length;
      child.stdin.write(left.shift()![1]);
    }
  }
  expect(left, shown).toEqual([]);
  const code = child.exitCode ?? ((await once(child, "exit"))[0] as number);
  return { code, shown: stripVTControlCharacters(shown).replaceAll("\r", "") };
}

test("statements of one line and of several, commands, and an end by Ctrl-D", async () => {
  const { code, shown } = await type([
    ["sql> ", "select 6 * 7 as answer;\r"],
    ["42", ""],
    ["sql> ", "select count(*) as n\r"],
    ["...> ", "from events\r"],
    ["...> ", ";\r"],
    ["70", ""],
    ["sql> ", ".schema denials\r"],
    ["one row per denied or failed event", ""],
    ["sql> ", ".tables\r"],
    ["audit event", ""],
    ["sql> ", ".mode csv\r"],
    ["sql> ", "select 'a,b' as x;\r"],
    ['"a,b"', ""],
    ["sql> ", "\u0004"],
  ]);
  expect(code, shown).toBe(0);
});

test("a statement typed before Ctrl-D is answered, and the end is no error", async () => {
  const { code, shown } = await type([
    ["sql> ", "select 6 * 7 as answer;\rselect 40 + 3 as answer;\r\u0004"],
  ]);
  expect(code, shown).toBe(0);
  expect(shown).toMatch(/\b42\n[^]*\b43\n/);
  expect(shown).not.toContain("error");
});

test("Ctrl-C ends only the query, and discards the typed text", async () => {
  const { code, shown } = await type([
    ["sql> ", `${endless}\r`],
    ["range(1000000) b;", ctrlC],
    ["canceled", ""],
    ["sql> ", "select 'half\r"],
    ["...> ", ctrlC],
    ["^C", ""],
    ["sql> ", "select 'whole' as w;\r"],
    ["whole", ""],
    ["1 row", ""],
    ["sql> ", ".quit\r"],
  ]);
  expect(code, shown).toBe(0);
});

test("an error is printed, and the next statement is answered", async () => {
  const { code, shown } = await type([
    ["sql> ", "select * from evnts;\r"],
    ["error: ", ""],
    ["sql> ", "delete from event_rows;\r"],
    ["only SELECT is run", ""],
    ["sql> ", ".opne x\r"],
    ["no command", ""],
    ["sql> ", ".mode xls\r"],
    ["no form", ""],
    ["sql> ", "select 1 as one;\r"],
    ["1 row", ""],
    ["sql> ", "exit\r"],
  ]);
  expect(code, shown).toBe(0);
});

test("a report is opened with its defaults, and can be continued", async () => {
  const { shown } = await type([
    ["sql> ", ".open denials_by_day\r"],
    ["order by day", ""],
    ["...> ", "limit 3;\r"],
    ["0 rows", ""],
    ["sql> ", ".quit\r"],
  ]);
  expect(shown).not.toContain("$since");
});

test("Tab completes names, functions and reports", async () => {
  const { shown } = await type([
    ["sql> ", "select count(*) as n from deni\t"],
    ["denials", ";\r"],
    ["1 row", ""],
    ["sql> ", "select date_tru\t"],
    ["date_trunc", "('day', timestamp '2026-01-02 03:04:05') as d;\r"],
    ["2026-01-02 00:00:00", ""],
    ["sql> ", ".open denials_by_a\t"],
    ["denials_by_actor", "\r"],
    ["...> ", ctrlC],
    ["sql> ", ".quit\r"],
  ]);
  expect(shown).toContain("date_trunc('day'");
});

test("history survives the prompt, is readable by its owner only, and has a statement of several lines as one", async () => {
  const path = join(home.home, "sql", "history");
  await type([
    ["sql> ", "select 11 as eleven,\r"],
    ["...> ", "12 as twelve;\r"],
    ["1 row", ""],
    ["sql> ", ".quit\r"],
  ]);
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toBe(
    "select 11 as eleven, 12 as twelve;",
  );
  expect([statSync(path).mode & 0o777, statSync(join(home.home, "sql")).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  const { shown } = await type([
    ["sql> ", `${up}\r`],
    ["twelve", ""],
    ["1 row", ""],
    ["sql> ", ".quit\r"],
  ]);
  expect(shown).toMatch(/eleven {2}twelve/);
});

test("values of records do not move the cursor of a terminal, also of 40 columns", async () => {
  const { shown } = await type(
    [
      ["sql> ", "select * from events order by event_time limit 1;\r"],
      ["columns not shown", ""],
      ["sql> ", "select resource_name from events order by event_time limit 1;\r"],
      ["1 row", ""],
      ["sql> ", ".quit\r"],
    ],
    40,
  );
  expect(shown).toContain(String.raw`\u001b[31mred\u202e`);
  for (const line of shown.split("\n").filter((text) => /─|\|/.test(text)))
    expect(line.length).toBeLessThanOrEqual(40);
});
