import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { severities } from "../../../schemas/detections.ts";
import { buildListQuestion, type FindingFilter, listedStates } from "../../answers/findings/ask.ts";
import { readFinding } from "../../answers/findings/show.ts";
import { withPublished } from "../../answers/investigate/resolve.ts";
import {
  answerTool,
  askRows,
  buildDataAnswer,
  buildMarkedAnswer,
  type Desk,
  hints,
} from "./answers.ts";

const longest = 1000;
const text = z.string().max(longest);
const eventsShown = 100;

/** Adds the tools of findings: a list, and one with its evidence. */
export function addFindings(server: McpServer, desk: Desk): void {
  server.registerTool(
    "list_findings",
    {
      description:
        "Findings of the detections, the most severe first; open ones unless a state is given. Start here.",
      inputSchema: z.strictObject({
        state: z.enum(listedStates).optional(),
        severity: z.enum(severities).optional().describe("at least this severity"),
        since: text.optional().describe("with a hit at or after this time: a date, or 7d"),
        subject: text.optional().describe("e-mail, address or other subject, as the list shows it"),
        detection: text.optional(),
      }),
      annotations: hints,
    },
    (filter, { signal }) => answerTool(() => listFindings(desk, readGiven(filter), signal)),
  );
  server.registerTool(
    "show_finding",
    {
      description:
        "One finding: message, measures with their usual values, evidence, decisions and the next command.",
      inputSchema: z.strictObject({ finding_id: text.describe("its first 4 to 16 digits") }),
      annotations: hints,
    },
    ({ finding_id: id }, { signal }) => answerTool(() => showFinding(desk, id, signal)),
  );
}

type Given = { readonly [name in keyof FindingFilter]?: FindingFilter[name] | undefined };

function readGiven(filter: Given): FindingFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

async function listFindings(
  desk: Desk,
  filter: FindingFilter,
  gone: AbortSignal,
): Promise<CallToolResult> {
  const { settings, world } = desk;
  const question = buildListQuestion(filter, settings.flags.source, world.now());
  return buildDataAnswer(await askRows(desk, { ...question, isReport: true }, gone), {});
}

async function showFinding(
  { settings, limits }: Desk,
  id: string,
  gone: AbortSignal,
): Promise<CallToolResult> {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(limits.timeoutMs)]);
  const shown = await withPublished(settings, signal, (connection) => readFinding(connection, id));
  const events = shown.events.slice(0, Math.min(eventsShown, limits.maxRows));
  const about = { events: shown.events.length, events_shown: events.length };
  return buildMarkedAnswer(about, { ...shown, events });
}
