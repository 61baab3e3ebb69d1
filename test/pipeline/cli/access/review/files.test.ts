import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failureLine } from "../../../../support/failure.ts";
import { readLines, writeSheet, type Line } from "../company.ts";
import { readAll, decide, readFile, isOf, newTeam, type Team } from "../team.ts";

// What may come back instead of the files that were handed out.

let team: Team;
beforeAll(async () => void (team = await newTeam()));
afterAll(() => team[Symbol.asyncDispose]());

test("an altered row is refused with its line, and nothing is sent", async () => {
  const folder = await team.exported();
  const file = readFile(folder);
  const original = readFileSync(file);
  const text = original.toString("utf8");
  expect(text.split("\r\n")[0]).toBe(
    "person,right,way,since,last_use,given_by,evidence,decision,reason,reviewer,date,row,review",
  );
  const lines = decide(readAll(folder), () => "keep");
  const [one = {}, two = {}] = lines;
  const cases: [string, () => void, RegExp][] = [
    [
      "word",
      () => writeSheet(file, [{ ...one, decision: "yes" }]),
      /line 2: decision "yes"; expected keep, revoke/,
    ],
    [
      "person",
      () => writeSheet(file, [{ ...one, person: two["person"]! + "x" }]),
      /row r1 has person .* was exported with/,
    ],
    [
      "right",
      () => writeSheet(file, [{ ...one, right: "query on all" }]),
      /row r1 has right "query on all"/,
    ],
    ["way", () => writeSheet(file, [{ ...one, way: "share" }]), /has way "share"/],
    [
      "row added",
      () => writeSheet(file, [{ ...one, row: "r99999" }]),
      /"r99999" does not belong to the review; rows cannot be added/,
    ],
    [
      "twice",
      () => writeSheet(file, [one, { ...one, decision: "revoke" }]),
      /occurs twice with different decisions/,
    ],
    [
      "other review",
      () => writeSheet(file, [one, { ...two, review: "20200101T000000Z-00000000" }]),
      /apply each review separately/,
    ],
    [
      "unknown review",
      () => writeSheet(file, [{ ...one, review: "../../x" }]),
      /was not exported from the home/,
    ],
    [
      "no reviewer",
      () => writeSheet(file, [{ ...one, reviewer: "" }]),
      /a decision without a reviewer/,
    ],
    [
      "no column",
      () => writeFileSync(file, text.replace("decision", "remark")),
      /has no column decision/,
    ],
    [
      "two columns",
      () => writeFileSync(file, text.replace("reason", "decision")),
      /two columns "decision"/,
    ],
    ["not a table", () => writeFileSync(file, 'a,"b'), /ends inside a quoted cell/],
    [
      "many",
      () =>
        writeSheet(
          file,
          lines.map((line) => ({ ...line, decision: "?" })),
        ),
      /\(and \d+ more\); nothing was sent/,
    ],
    ["empty", () => writeFileSync(file, text.split("\r\n")[0]!), /have no rows/],
    ["no file", () => rmSync(file), /has no \.csv file/],
  ];
  team.desk.requests();
  for (const [name, spoil, expected] of cases) {
    writeFileSync(file, original);
    spoil();
    expect(failureLine(await team.review(["apply", folder, "--yes"]), 2, []), name).toMatch(
      expected,
    );
  }
  expect(team.desk.requests()).toEqual([]);
  writeFileSync(file, original);
  const twice = await team.review(["export", "--out", folder]);
  expect(failureLine(twice, 2, [])).toMatch(/already contains CSV files/);
});

test("a revocation needs a reason if the configuration requires one, in the file or by the flag", async () => {
  const folder = await team.exported();
  const file = readFile(folder);
  const config = { policies: { require_reason: true } };
  const apply = (...flags: string[]) =>
    team.review(["apply", folder, "--dry-run", ...flags], config);
  const lines = decide(readAll(folder), () => "revoke").map((line) => ({ ...line, reason: "" }));
  writeSheet(file, lines);
  expect(failureLine(await apply(), 2, [])).toMatch(/require_reason requires a reason; add it/);
  expect(await apply("--reason", "left the team")).toMatchObject({ code: 0 });
  writeSheet(
    file,
    lines.map((line) => ({ ...line, reason: "left the team" })),
  );
  expect(await apply()).toMatchObject({ code: 0 });
});

test("files of any spreadsheet are read: code pages, tabs, a byte order mark, blank rows, escaped text", async () => {
  const folder = await team.exported();
  const file = readFile(folder);
  const lines = decide(readAll(folder), () => "keep").map((line) => ({
    ...line,
    reason: "Prüfung; 'ok'",
  }));
  writeSheet(file, lines);
  const wide = readFileSync(file, "utf8");
  const forms: [string, Buffer][] = [
    ["as written", Buffer.from(wide)],
    ["code page", Buffer.from(wide.replace("\uFEFF", ""), "latin1")],
    ["UTF-16 with tabs", Buffer.from(wide.replaceAll('";"', '"\t"'), "utf16le")],
    ["line feeds, blank rows", Buffer.from(`${wide.replaceAll("\r\n", "\n")};;;;\n\n`)],
    ["separator declared", Buffer.from(`sep=;\r\n${wide.replace("\uFEFF", "")}`)],
    ["headers in capitals", Buffer.from(wide.replace(/^.*\r\n/, (line) => line.toUpperCase()))],
    ["a column of their own", Buffer.from(wide.replaceAll("\r\n", ';"x"\r\n'))],
  ];
  for (const [name, bytes] of forms) {
    writeFileSync(file, bytes);
    const { code, err } = await team.review(["apply", folder, "--dry-run"]);
    expect({ name, code, err }).toMatchObject({ code: 0 });
    expect(err, name).not.toContain("warning");
  }
  // Rows that are left out decide nothing, and are reported.
  writeSheet(file, lines.slice(2));
  const { err } = await team.review(["apply", folder, "--dry-run"]);
  expect(err).toContain(
    "warning: 2 rows of the review are in none of the files and stay undecided",
  );
});

test("a right stays until all its holders are decided; a right that others keep is a manual step with its side effects", async () => {
  const folder = await team.exported();
  const mine = (line: Line): boolean =>
    isOf(line, team.readers) && line["right"]!.includes(team.first);
  const lines = readAll(folder);
  const annName = lines.find((line) => isOf(line, team.writers))!["person"]!;
  const write = (others: string): void =>
    writeSheet(
      readFile(folder),
      decide(lines, (line) => (!mine(line) ? "" : line["person"] === annName ? "revoke" : others)),
    );
  write("");
  expect(await team.planned(folder, "--dry-run")).toMatchObject([
    { how: "waits", person: annName },
  ]);
  write("keep");
  const [step] = await team.planned(folder, "--dry-run");
  expect(step).toMatchObject({
    how: "by hand",
    operation: `DELETE /v4/access_control/users/${team.ann}/policies/${team.readers}`,
  });
  expect(step!["note"]).toMatch(new RegExp(`also removes query on .*${team.second}`));
  write("revoke");
  expect(await team.planned(folder, "--dry-run")).toMatchObject([{ how: "sent" }]);
});

test("owners are those of the configuration, otherwise the creator of the database or the owner of the account", async () => {
  const owners = {
    policies: { [team.readers]: "Rita / Data", "policy 2": "rita_data" },
    account: "ciso@example.com",
  };
  const folder = await team.exported({ reviews: { owners } });
  const files = readLines(folder);
  expect([...files.keys()].sort()).toEqual([
    "ciso@example.com.csv",
    "rita_data-2.csv",
    "rita_data.csv",
  ]);
  const of = (name: string): Line[] => files.get(name)!;
  expect(of("rita_data.csv").every((line) => isOf(line, team.readers))).toBe(true);
  expect(of("rita_data-2.csv").every((line) => isOf(line, team.writers))).toBe(true);
  expect(of("ciso@example.com.csv").some((line) => line["right"]!.includes("administrator"))).toBe(
    true,
  );
});
