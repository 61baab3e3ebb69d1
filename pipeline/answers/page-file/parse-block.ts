import { findClosestNames } from "../../base/closest-names.ts";
import { getMessage, UsageError } from "../../base/errors.ts";
import { listChartColumns, parseChart } from "../../base/report/chart-form.ts";
import type { Report } from "../../base/report/find.ts";
import { type Entry, findEntry } from "../../base/report/detection.ts";
import { namesColumn } from "../../base/report/header.ts";
import { buildQuestion, refuseUnknown } from "../../base/report/params.ts";
import { type Asked, type Block, type BlockKind, comparisons, foldedParts } from "./page-file.ts";

type Fail = (line: number, message: string) => never;

// Every other word is a parameter of the report.
const keysOfKinds: Readonly<Record<BlockKind, readonly string[]>> = {
  status: [],
  findings: ["rows"],
  tiles: ["report", "compare"],
  chart: ["report", "title", "chart"],
  table: ["report", "title", "rows"],
  folded: ["report", "title", "rows", "show"],
};

const mostRows = 100;

/** Reads the lines of a block, `key: value` each. Calls `fail`, which throws, for faults. */
export function parseBlock(
  kind: BlockKind,
  texts: readonly string[],
  fenceLine: number,
  reports: readonly Report[],
  fail: Fail,
): Block {
  const lines = texts.flatMap((text, i) => readLine(text, fenceLine + 1 + i, fail));
  const twice = lines.find(({ key }, i) => lines.findIndex((each) => each.key === key) < i);
  if (twice !== undefined) fail(twice.line, `"${twice.key}" is given twice`);
  const own = keysOfKinds[kind];
  const find = (key: string): Entry | undefined => findEntry(lines, key);
  const params = lines.filter(({ key }) => !own.includes(key));
  const asked = own.includes("report")
    ? readAsked(find("report"), params, reports, fail)
    : undefined;
  if (asked === undefined) refuseParams(kind, params, fail);
  const block: Block = {
    kind,
    line: fenceLine,
    ...(asked && { asked }),
    ...choose("title", find("title")?.text),
    ...choose("rows", find("rows") && readCount(find("rows")!, fail)),
    ...choose("compare", find("compare") && readWord(find("compare")!, comparisons, fail)),
    ...choose("show", find("show") && readWord(find("show")!, foldedParts, fail)),
    ...choose("chart", readChart(find("chart"), asked, fail)),
  };
  return refuseIncomplete(block, fail);
}

function choose<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: V });
}

function readLine(text: string, line: number, fail: Fail): Entry[] {
  if (text.trim() === "") return [];
  const [, key, value] = /^\s*([a-z][a-z0-9_]*)\s*:\s*(.*)$/.exec(text) ?? [];
  if (key === undefined)
    return fail(line, `found ${JSON.stringify(text.trim())}; expected "key: value"`);
  return [{ key, text: value!.trim(), line }];
}

function readAsked(
  name: Entry | undefined,
  params: readonly Entry[],
  reports: readonly Report[],
  fail: Fail,
): Asked | undefined {
  if (name === undefined) return undefined;
  const report = reports.find((each) => each.name === name.text);
  if (report === undefined) {
    const close = findClosestNames(
      name.text,
      reports.map((each) => each.name),
    );
    const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "";
    return fail(name.line, `no report is called ${JSON.stringify(name.text)}${hint}`);
  }
  for (const { key, text, line } of params)
    orFail(line, fail, () => {
      refuseUnknown(new Map([[key, text]]), [report]);
    });
  const given = new Map(params.map(({ key, text }) => [key, text]));
  // The values are checked, and read again for the moment at which the page is written.
  orFail(name.line, fail, () => buildQuestion(report, given, Date.now()));
  return { report, given };
}

function orFail(line: number, fail: Fail, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    fail(line, getMessage(error));
  }
}

function refuseParams(kind: BlockKind, [first]: readonly Entry[], fail: Fail): void {
  if (first === undefined) return;
  const keys = keysOfKinds[kind].join(", ") || "no lines";
  fail(first.line, `found ${JSON.stringify(first.key)}; a block ${kind} takes ${keys}`);
}

function readCount({ text, line }: Entry, fail: Fail): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > mostRows)
    fail(line, `rows is ${JSON.stringify(text)}; expected a number from 1 to ${mostRows}`);
  return count;
}

function readWord<W extends string>(
  { key, text, line }: Entry,
  words: readonly W[],
  fail: Fail,
): W {
  const word = words.find((each) => each === text);
  return word ?? fail(line, `${key} is ${JSON.stringify(text)}; expected ${words.join(" or ")}`);
}

function readChart(given: Entry | undefined, asked: Asked | undefined, fail: Fail): Block["chart"] {
  if (given === undefined) return asked?.report.chart;
  const form = parseChart(given.text);
  if (typeof form === "string") return fail(given.line, form);
  const sql = asked?.report.sql ?? "";
  const missing = listChartColumns(form).find((name) => !namesColumn(sql, name));
  if (missing !== undefined)
    fail(
      given.line,
      `the chart needs column ${missing}, which is missing from ${asked?.report.name}`,
    );
  return form;
}

function refuseIncomplete(block: Block, fail: Fail): Block {
  const { kind, line, asked, show, chart } = block;
  const needsReport = kind === "chart" || kind === "table" || kind === "tiles";
  if (needsReport && asked === undefined) fail(line, `the block ${kind} has no "report: …"`);
  if (kind === "chart" && chart === undefined)
    fail(line, `${asked!.report.name} declares no chart; add "chart: bars x=COLUMN y=COLUMN"`);
  if (kind === "folded" && (asked === undefined) === (show === undefined))
    fail(line, `a block folded has either "report: …" or "show: …" (${foldedParts.join(", ")})`);
  return block;
}
