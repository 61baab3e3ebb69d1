import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome } from "../../../support/home.ts";
import { denials, type FindingsHome, newFindingsHome, reset } from "./scene.ts";

let home: FindingsHome;
let ids: Record<string, string>;
beforeAll(async () => {
  home = await newFindingsHome();
  await home.import([...denials(17), ...denials(18, 6), reset]);
  ids = await home.ids();
  await home.findings(["acknowledge", ids["user 18"]!]);
});
afterAll(() => home[Symbol.dispose]());

const subjects = async (...argv: string[]): Promise<unknown[]> => {
  const { code, out, err } = await home.findings([...argv, "--format", "json"]);
  expect(code, err).toBe(0);
  return (JSON.parse(out) as { readonly subject: unknown }[]).map(({ subject }) => subject);
};

test("findings lists open findings, the most severe first", async () => {
  expect(await subjects()).toEqual(["eve@example.com", "user 17"]);
});

test("findings as a table shows severity, time, the whole message and an id that show takes", async () => {
  const { out } = await home.findings(["--detection", "repeated_denials"]);
  const id = ids["user 17"]!.slice(0, 8);
  expect(out.split("\n").map((line) => line.trimEnd())).toEqual([
    "severity  last_at              message                                     finding_id",
    expect.stringMatching(/^─+(?:  ─+){3}$/),
    `medium    2026-03-03 04:24:00  user 17 was denied 25 times within an hour  ${id}`,
    "",
  ]);
});

test.each([
  ["--state acknowledged", ["user 18"]],
  ["--state all", ["eve@example.com", "user 18", "user 17"]],
  ["--severity high", ["eve@example.com"]],
  ["--severity critical", []],
  ["--state all --since 2026-03-03T10:00:00Z", ["user 18"]],
  ["--subject EVE@example.com", ["eve@example.com"]],
  ["--detection repeated_denials", ["user 17"]],
  ["--state closed", []],
])("findings list %s", async (flags, expected) => {
  expect(await subjects("list", ...flags.split(" "))).toEqual(expected);
});

test.each([
  [["--fail-on", "medium"], 3],
  [["--fail-on", "high"], 3],
  [["--fail-on", "critical"], 0],
  [["--fail-on", "high", "--subject", "user 17"], 0],
  [["--fail-on", "medium", "--limit", "1"], 3],
  [["--fail-on", "high", "--format", "ocsf"], 3],
])("findings list %j exits with %i", async (argv, code) => {
  expect((await home.findings(["list", ...argv])).code).toBe(code);
});

test("findings list --out writes a file, as rows and as OCSF", async () => {
  const [csv, ocsf] = ["findings.csv", "findings.json"].map((name) => `${home.folder}/${name}`);
  await home.findings(["list", "--out", csv!]);
  expect(readFileSync(csv!, "utf8").split("\n")[1]).toContain(ids["eve@example.com"]);
  await home.findings(["list", "--format", "ocsf", "--out", ocsf!]);
  expect(JSON.parse(readFileSync(ocsf!, "utf8"))).toMatchObject([
    { class_uid: 2004, severity_id: 4, finding_info: { uid: ids["eve@example.com"] } },
    { class_uid: 2004, severity_id: 3, finding_info: { uid: ids["user 17"] } },
  ]);
});

test("findings show takes the first digits of an id, as text and as JSON", async () => {
  const id = ids["user 17"]!;
  const { out } = await home.findings(["show", id.slice(0, 6)]);
  expect(out.split("\n").slice(0, 2)).toEqual([
    "MEDIUM  Repeated denials",
    "user 17 was denied 25 times within an hour",
  ]);
  expect(out).toContain("Evidence: 25 events");
  expect(out).toContain("denials 25 (limit 25)");
  const shown = await home.findings(["show", id, "--format", "json"]);
  expect(JSON.parse(shown.out)).toMatchObject({ finding: { findingId: id, state: "open" } });
});

test("a sentence that is wider than a narrow terminal continues on the next line", async () => {
  const env = { COLUMNS: "70" };
  const { out } = await home.findings(["--detection", "repeated_denials"], { env });
  const words = out
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .slice(31)
        .trim()
        .replace(/ +[0-9a-f]{8}$/, ""),
    );
  expect(words.join(" ").trim()).toBe("user 17 was denied 25 times within an hour");
});

const suppress = (...more: string[]): string[] => ["suppress", "repeated_denials", ...more];
const rest = ["--until", "2026-03-05", "--reason", "x"];

test.each([
  [["nonsense"], "too many arguments"],
  [["--severity", "huge"], "'huge' is invalid. Allowed choices are info, low"],
  [["--fail-on", "huge"], "'huge' is invalid"],
  [["--state", "new"], "'new' is invalid"],
  [["--format", "xml"], "'xml' is invalid"],
  [["--since", "soon"], '"soon" is not a time'],
  [["--detection", "repeated_denial"], 'no detection is called "repeated_denial"'],
  [["show"], "missing required argument 'id'"],
  [["show", "user"], '"user" is no id of a finding'],
  [["show", "0123"], "no finding has an id that begins with 0123"],
  [["show", "0123", "--format", "csv"], "'csv' is invalid"],
  [["acknowledge"], "missing required argument 'id'"],
  [["acknowledge", "0123"], "no finding has an id that begins with 0123"],
  [["close", "0123"], "required option '--as <verdict>'"],
  [["close", "0123", "--as", "benign"], "required option '--reason <text>'"],
  [["close", "0123", "--as", "fine", "--reason", "x"], "'fine' is invalid"],
  [["note", "0123"], "missing required argument 'text'"],
  [["note", "0123", " "], "expected a reason of 1 to 1000 characters"],
  [["note", "0123", "x".repeat(1001)], "expected a reason of 1 to 1000 characters"],
  [suppress(...rest), "required option '--where <column=value...>'"],
  [["suppress", "nosuch", "--where", "a=b", ...rest], 'no detection is called "nosuch"'],
  [suppress("--where", "actor=x", ...rest), "with a key column of repeated_denials: source, "],
  [suppress("--where", "user_id", ...rest), '--where "user_id=": expected COLUMN=VALUE'],
  [suppress("--where", "user_id=1", "user_id=2", ...rest), "user_id is given twice"],
  [
    suppress("--where", "user_id=1", "--until", "2020-01-01", "--reason", "x"),
    "a time in the future",
  ],
  [suppress("--where", "user_id=", ...rest), '--where "user_id=": expected COLUMN=VALUE'],
  [
    suppress("--where", "user_id=1", "--until", "2027-03-10", "--reason", "x"),
    "at most 366 days ahead",
  ],
  [suppress("--where", "user_id=1", "--until", "2026-03-05"), "required option '--reason <text>'"],
  [["evaluate", "nosuch"], 'no detection is called "nosuch"'],
  [["test", "nosuch"], 'no detection is called "nosuch"'],
])("findings %j is refused in one line with the fault", async (argv, text) => {
  const { code, out, err } = await home.findings(argv);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^error: [^\n]+\n$/);
  expect(err).toContain(text);
});

test("findings without a home is refused in one line", async () => {
  using none = newHome();
  for (const verb of [[], ["show", "0123"], ["evaluate"], ["suppressions"]]) {
    const { code, err } = await none.run(["findings", ...verb]);
    expect({ verb, isDone: code === 0 }).toEqual({ verb, isDone: false });
    expect(err).toMatch(/^error: [^\n]+\n$/);
  }
});
