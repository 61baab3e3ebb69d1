import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { denials, type FindingsHome, newFindingsHome } from "./scene.ts";

const rule = readFileSync("queries/reports/denials/repeated_denials.sql", "utf8");
const lookback =
  /cast\(\$since as timestamp\) - cast\(\$minutes as integer\) \* interval '1' minute/;

let home: FindingsHome;
beforeAll(async () => {
  home = await newFindingsHome();
  // User 17: 25 in an hour; user 18: 20 in an hour; user 19: 25 in an hour that crosses midnight.
  await home.import([...denials(17), ...denials(18, 6).slice(0, 20), ...denials(19, 19.8)]);
});
afterAll(() => home[Symbol.dispose]());

/** Users by where the comparison with a changed rule found them. */
async function backtest(sql?: string, ...more: string[]): Promise<string[]> {
  const argv = ["backtest", "repeated_denials", "--during", "last 3 days", "--format", "json"];
  const queries = sql === undefined ? [] : ["--queries", `${home.folder}/rules`];
  if (sql !== undefined) home.write("rules/repeated_denials.sql", sql);
  const now = () => Date.UTC(2026, 2, 5, 12);
  const { code, out, err } = await home.findings([...argv, ...queries, ...more], { now });
  expect(code, err).toBe(0);
  const rows = JSON.parse(out) as { readonly found: string; readonly key: string }[];
  return rows.map(
    ({ found, key }) => `${found} ${(JSON.parse(key) as { user_id: string }).user_id}`,
  );
}

test("a rule is compared with itself without a folder", async () => {
  expect(await backtest()).toEqual(["in both 17", "in both 19"]);
});

test("a changed rule has keys in both, only old and only new", async () => {
  expect(await backtest(rule)).toEqual(["in both 17", "in both 19"]);
  expect(await backtest(rule.replace("denials integer = 25", "denials integer = 20"))).toEqual([
    "in both 17",
    "in both 19",
    "only new 18",
  ]);
  expect(await backtest(rule.replace("denials integer = 25", "denials integer = 26"))).toEqual([
    "only old 17",
    "only old 19",
  ]);
});

test("hits that need more than one run's reads appear only in a single evaluation", async () => {
  expect(rule).toMatch(lookback);
  expect(await backtest(rule.replace(lookback, "cast($since as timestamp)"))).toEqual([
    "in both 17",
    "only old 19",
    "only in one go 19",
  ]);
});

test("the period limits what is compared", async () => {
  expect(await backtest(undefined, "--during", "2026-03-04")).toEqual(["in both 19"]);
  expect(await backtest(undefined, "--during", "2026-01")).toEqual([]);
});

test.each([
  [["nosuch"], 'no detection is called "nosuch"'],
  [["repeated_denials", "--during", "soon"], '--during "soon" is not a period'],
  [["repeated_denials", "--queries", "/nosuch"], "/nosuch is not a folder"],
  [["owner_password_reset", "--queries", "RULES"], "has no file owner_password_reset.sql"],
  [["plain", "--queries", "RULES"], "is not a detection"],
  [[], "missing required argument 'name'"],
])("findings backtest %j is refused in one line with the fault", async (argv, text) => {
  home.write(
    "rules/plain.sql",
    "-- title: Plain\n-- question: What?\n-- grain: one row\nselect 1 as one\n",
  );
  const given = argv.map((word) => (word === "RULES" ? `${home.folder}/rules` : word));
  const { code, err } = await home.findings(["backtest", ...given]);
  expect({ code, lines: err.trim().split("\n").length }, err).toEqual({ code: 2, lines: 1 });
  expect(err).toContain(text);
});
