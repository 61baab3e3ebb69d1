import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { contract } from "../../../schemas/generated/contract.ts";
import { buildEventQuestion, resolvePublished } from "../../answers/ask/question.ts";
import { describeTable, findTable } from "../../answers/report/listing.ts";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { selectReports } from "../../base/report/find.ts";
import {
  describeParam,
  describeRange,
  buildQuestion,
  refuseUnknown,
} from "../../base/report/params.ts";
import {
  type RangeFlags,
  resolveSubject,
  buildTimelineParams,
} from "../../answers/investigate/resolve.ts";
import { type SubjectKind, subjectKinds } from "../../answers/investigate/subject.ts";
import { addFindings } from "./findings.ts";
import {
  answerTool,
  askRows,
  buildDataAnswer,
  type Desk,
  hints,
  type Facts,
  buildOwnAnswer,
} from "./answers.ts";

const longest = 100_000;
const text = z.string().max(longest);
const time = text.describe("a date, an RFC 3339 time, or 7d, 12h, yesterday, 2026-10; UTC");
const params = z.record(text, text).describe("parameters of the report by name");

/**
 * Adds the tools: reports, tables, statements, one event, one timeline. Unknown members are refused: an answer to less
 * than the request looks complete.
 */
export function addTools(server: McpServer, desk: Desk): void {
  addReports(server, desk);
  addTables(server, desk);
  addSubjects(server, desk);
  addFindings(server, desk);
}

function addReports(server: McpServer, desk: Desk): void {
  server.registerTool(
    "list_reports",
    {
      description:
        "Available reports: name, question, meaning of a row, parameters. Prefer a report to a statement.",
      inputSchema: z.strictObject({ family: text.optional().describe("only this family") }),
      annotations: hints,
    },
    ({ family }) => answerTool(() => buildOwnAnswer(listReports(desk, family))),
  );
  server.registerTool(
    "run_report",
    {
      description: "Runs a report and returns its rows.",
      inputSchema: z.strictObject({
        name: text,
        since: time.optional(),
        until: time.optional(),
        params: params.optional(),
      }),
      annotations: hints,
    },
    ({ name, params: more, ...range }, { signal }) =>
      answerTool(() => runReport(desk, name, joinTexts(more, readGiven(range)), signal)),
  );
}

function addTables(server: McpServer, desk: Desk): void {
  server.registerTool(
    "describe_tables",
    {
      description:
        "The tables and views that a statement can query; with a name, its columns and their meanings.",
      inputSchema: z.strictObject({ table: text.optional() }),
      annotations: hints,
    },
    ({ table }) => answerTool(() => buildOwnAnswer(describeTables(table))),
  );
  server.registerTool(
    "query",
    {
      description:
        "Runs one SELECT (DuckDB SQL) on the published data, read-only. Limit event_time if you query events.",
      inputSchema: z.strictObject({ sql: text }),
      annotations: hints,
    },
    ({ sql }, { signal }) =>
      answerTool(async () => {
        const rows = await askRows(desk, { sql, values: {}, isReport: false }, signal);
        return buildDataAnswer(rows, {});
      }),
  );
}

function addSubjects(server: McpServer, desk: Desk): void {
  server.registerTool(
    "event",
    {
      description: "All fields of one event, by its event_key.",
      inputSchema: z.strictObject({ event_key: text.describe("32 hexadecimal digits") }),
      annotations: hints,
    },
    ({ event_key: key }, { signal }) => answerTool(() => readEvent(desk, key, signal)),
  );
  server.registerTool(
    "investigate",
    {
      description: "The timeline of a user, an address, a resource or a job.",
      inputSchema: z.strictObject({
        kind: z.enum(subjectKinds),
        name: text.describe("id, e-mail or part of a name; address; resource; id of the job"),
        at: time.optional(),
        window: text.optional().describe("with at: the time around it (2h)"),
        since: time.optional(),
        until: time.optional(),
      }),
      annotations: hints,
    },
    ({ kind, name, ...range }, { signal }) =>
      answerTool(() => readTimeline(desk, kind, name, readGiven(range), signal)),
  );
}

type Texts = Readonly<Record<string, string>>;

function readGiven(texts: Readonly<Record<string, string | undefined>>): Texts {
  const pairs = Object.entries(texts).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return Object.fromEntries(pairs);
}

// Of two ranges one would count for nothing.
function joinTexts(more: Texts = {}, range: Texts): Texts {
  const twice = Object.keys(range).find((name) => Object.hasOwn(more, name));
  if (twice !== undefined) throw new UsageError(`parameter ${twice} is given twice`);
  return { ...more, ...range };
}

async function readTimeline(
  desk: Desk,
  kind: SubjectKind,
  name: string,
  range: RangeFlags,
  gone: AbortSignal,
): Promise<CallToolResult> {
  const { settings, world, limits } = desk;
  const time = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([gone, time]);
  try {
    const resolved = await resolveSubject(
      { kind, text: name, flags: range },
      settings,
      world.now(),
      signal,
    );
    const asked = Object.fromEntries(buildTimelineParams(kind, resolved));
    return await runReport(desk, `${kind}_timeline`, asked, gone);
  } catch (error) {
    if (!time.aborted) throw error;
    throw new AuditlakeError(`stopped after ${limits.timeoutMs / 1000} s; request a shorter range`);
  }
}

function listReports({ reports }: Desk, family: string | undefined): Facts[] {
  const all = reports();
  const chosen = family === undefined ? all : all.filter((report) => report.family === family);
  if (chosen.length === 0) {
    const known = [...new Set(all.map((report) => report.family))].join(", ");
    throw new UsageError(`no family ${JSON.stringify(family)}; known: ${known}`);
  }
  return chosen.map(({ name, title, question, grain, params: own }) => ({
    name,
    question: question ?? title,
    grain,
    parameters: own.map(describeParam),
  }));
}

async function runReport(
  desk: Desk,
  name: string,
  asked: Texts,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const [report] = selectReports(desk.reports(), [name]);
  const texts = new Map(Object.entries(asked));
  refuseUnknown(texts, [report!]);
  const asking = buildQuestion(report!, texts, desk.world.now());
  const { question, notes } = await resolvePublished(
    { report: report!, question: asking },
    desk.settings,
    AbortSignal.any([signal, AbortSignal.timeout(desk.limits.timeoutMs)]),
  );
  const rows = await askRows(desk, { ...question, isReport: true }, signal);
  const range = describeRange(question.values);
  const facts = {
    report: name,
    question: report!.question ?? report!.title,
    ...(range && { range }),
  };
  return buildDataAnswer(rows, facts, notes);
}

function describeTables(table: string | undefined): Facts | Facts[] {
  if (table === undefined)
    return contract.map(({ name, group, row }) => ({ name, group, one_row_per: row }));
  const found = findTable(table);
  return { name: found.name, about: describeTable(found), columns: found.columns };
}

async function readEvent(desk: Desk, key: string, signal: AbortSignal): Promise<CallToolResult> {
  const found = await askRows(desk, { ...buildEventQuestion(key), isReport: true }, signal);
  if (found.rows.length === 0) throw new UsageError("no event with this key");
  return buildDataAnswer(found, {});
}
