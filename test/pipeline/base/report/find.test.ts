import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findReports, selectReports } from "../../../../pipeline/base/report/find.ts";
import { findClosestNames } from "../../../../pipeline/base/closest-names.ts";
import { temporaryFolder } from "../../answers/report/support.ts";

const text = "-- title: A\n-- grain: one row\nselect 1 as one\n";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

test("built-in and user reports are one list, by family and name", () => {
  const builtIn = folderWith({
    "b/two.sql": `-- family: b\n${text}`,
    "b/one.sql": `-- family: b\n${text}`,
    "z/z.sql": `-- family: z\n${text}`,
    "b/README.md": "no report",
  });
  const own = folderWith({ "deep/mine.sql": text, ".#mine.sql": "an editor's", "x.txt": "" });
  const { reports } = findReports(own, builtIn);
  expect(reports.map(({ family, name }) => `${family}/${name}`)).toEqual([
    "b/one",
    "b/two",
    "own/mine",
    "z/z",
  ]);
  expect(reports[2]).toMatchObject({ title: "A", sql: text, file: join(own, "deep/mine.sql") });
});

test("the reports of the package are valid", () => {
  for (const report of findReports().reports)
    expect(report.file).toMatch(/^queries\/reports\/.+\.sql$/);
});

test("a user report does not replace a built-in one", () => {
  const builtIn = folderWith({ "b/one.sql": text });
  const own = folderWith({ "one.sql": text });
  const { reports, broken } = findReports(own, builtIn);
  expect(reports.map(({ isBuiltIn }) => isBuiltIn)).toEqual([true]);
  expect(broken).toEqual([
    expect.stringMatching(/one\.sql: report one already exists \(.+b\/one\.sql\); rename the file/),
  ]);
});

test.each(["-x.sql", "a b.sql", `${"a".repeat(101)}.sql`, "ü.sql", "a'.sql"])(
  "%j is not a valid name",
  (file) => {
    const { reports, broken } = findReports(folderWith({ [file]: text, "sound.sql": text }));
    expect(reports.map(({ name }) => name)).toContain("sound");
    expect(broken).toEqual([expect.stringContaining("cannot be the name of a report")]);
  },
);

test("a missing folder of user reports is a usage error", () => {
  expect(() => findReports(join(temporaryFolder(), "none"))).toThrow(/is not a folder; --queries/);
});

test("reports are found by name, in the requested order, once each", () => {
  const { reports } = findReports(folderWith({ "a1.sql": text, "b1.sql": text }));
  expect(selectReports(reports, ["b1", "a1", "b1"]).map(({ name }) => name)).toEqual(["b1", "a1"]);
});

test("an unknown name is reported with the closest ones", () => {
  const { reports } = findReports(
    undefined,
    folderWith({ "refusals_by_actor.sql": text, "other.sql": text }),
  );
  expect(() => selectReports(reports, ["refusal_by_actor"])).toThrow(
    'no report is called "refusal_by_actor"; did you mean refusals_by_actor? auditlake report list shows all',
  );
  expect(() => selectReports(reports, ["zzzzzzzz"])).toThrow(
    'no report is called "zzzzzzzz"; auditlake report list shows all',
  );
});

test("the closest names are found", () => {
  const names = ["failed_sign_ins", "denials_by_hour", "denials_by_day", "grants"];
  expect(findClosestNames("denials_by_dya", names)).toEqual(["denials_by_day", "denials_by_hour"]);
  expect(findClosestNames("sign_in", names)).toEqual(["failed_sign_ins"]);
  expect(findClosestNames("grnts", names)).toEqual(["grants"]);
  expect(findClosestNames("x", names)).toEqual([]);
});
