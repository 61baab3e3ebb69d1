import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectPath } from "./pages.ts";
import { testNames } from "./test-names.ts";

// The rules of seed 002, section by section. Numbered ones are identified by their count, rows of tables by name, and
// text in between by a word of it.
const listNumbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${i + 1}`);
const words = (text: string): string[] => text.trim().split(/\s+/);

const sections: Readonly<Record<string, readonly string[]>> = {
  "What the service does": listNumbered(4),
  "A, keys": words(`type client_id client_secret auth_type auth_uri folder_path
    create_folder_if_not_exists de_name create_new_de primary_column primary_text_length column_options
    is_sendable sendable_rule sendable_column data_operation async continue_on_failure records_per_batch`),
  "A, what is said below the keys": [
    "console inputs",
    ...listNumbered(6).map((n) => `data operation ${n}`),
    "101 records",
    "time zone",
  ],
  "B, keys":
    words(`spelling type access_token send_by phone_number_id phone_number account_id send_mode
    text_content preview_url template_name header_variable body_variables language_code`),
  "B, rules": listNumbered(3),
  "C, parameters": words(`api_endpoint id_key delta_keys activation_mappings activation_actions_db
    activation_actions_table result_connection_settings result_connection_name _export.params timezone`),
  "C, rules": listNumbered(8),
  D: listNumbered(3),
  "States and transitions": words("new updated unchanged deleted sequence"),
  Endpoints: listNumbered(5),
  Authentication: listNumbered(5),
  Events: ["not shown"],
  Errors: listNumbered(7),
  Limits: [
    "folder_path depth",
    "folder name length",
    "primary_text_length",
    "records_per_batch",
    "synchronous batch",
    "recommended volume",
    "text_content",
    "header variables",
    "activation_mappings",
    "asynchronous insertion",
  ],
  "Scheduled result export": listNumbered(4),
  Versioning: listNumbered(2),
};

// What the reference does not show, and what a firewall has to do.
const withoutTest = ["Endpoints 4", "Authentication 5", "Errors 7"];

type Row = { readonly rule: string; readonly file: string; readonly test: string };

function rowsBySection(): Map<string, Row[]> {
  const [, ...parts] = readFileSync(projectPath("docs/rules.md"), "utf8").split(/^## /m);
  return new Map(
    parts.map((part) => {
      const [title, ...lines] = part.split("\n");
      const rows = lines.filter((line) => line.startsWith("| ")).slice(1);
      return [title!, rows.map(buildRow)];
    }),
  );
}

function buildRow(line: string): Row {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const bare = (cell = ""): string => /^`(.*)`$/.exec(cell)?.[1] ?? "";
  return { rule: cells[1]!, file: bare(cells[3]), test: bare(cells[4]) };
}

const found = rowsBySection();
const all = [...found].flatMap(([section, rows]) => rows.map((row) => ({ ...row, section })));

describe("docs/rules.md", () => {
  it("lists every section with all of its rules and rows, in order", () => {
    const rules = [...found].map(([section, rows]) => [
      section,
      [...new Set(rows.map((row) => row.rule))],
    ]);
    expect(Object.fromEntries(rules)).toEqual(sections);
    expect([...found.keys()]).toEqual(Object.keys(sections));
  });

  it("names a test for each rule, except for those that cannot be tested", () => {
    const untested = all.filter(({ test }) => test === "");
    expect(untested.map(({ section, rule }) => `${section} ${rule}`)).toEqual(withoutTest);
  });

  it.each([...new Set(all.map(({ file }) => file).filter((file) => file !== ""))])(
    "names only tests that exist in %s",
    (file) => {
      expect(existsSync(projectPath(file))).toBe(true);
      const names = testNames(file);
      const wanted = all.filter((row) => row.file === file).map(({ test }) => test);
      const isThere = (test: string): boolean =>
        names.some((name) => name === test || name.endsWith(` > ${test}`));
      expect(wanted.filter((test) => !isThere(test))).toEqual([]);
    },
  );
});
