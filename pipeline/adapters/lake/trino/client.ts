import { formatCommand } from "../../../base/command-line.ts";
import { z } from "zod";
import { parseJson } from "../../../base/rows/json-text.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import type { HttpRequest } from "../../../base/http/exchange.ts";
import { formatOutcome, pauseFor, type Transport } from "../../../base/http/transport.ts";
import type { World } from "../../../base/world.ts";
import { escapeControls } from "../../../base/printable.ts";

export type Trino = {
  readonly url: URL;
  readonly catalog: string;
  readonly schema: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly timeoutMs: number;
  /** Bytes of answers, all of one query together. */
  readonly maxBytes: number;
};

const column = z.object({ name: z.string(), type: z.string() });

const answer = z.object({
  nextUri: z.string().optional(),
  columns: z.array(column).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: z
    .object({
      message: z.string().default(""),
      errorName: z.string().default("UNKNOWN"),
      errorType: z.string().default(""),
    })
    .optional(),
  stats: z
    .object({
      state: z.string(),
      processedRows: z.number().optional(),
      processedBytes: z.number().optional(),
      physicalInputBytes: z.number().optional(),
      cpuTimeMillis: z.number().optional(),
      peakMemoryBytes: z.number().optional(),
    })
    .optional(),
});

type Answer = z.infer<typeof answer>;

export type TrinoColumn = z.infer<typeof column>;

/** One part of a result, with what the engine has done so far. */
export type Part = {
  readonly columns: readonly TrinoColumn[] | undefined;
  readonly rows: readonly (readonly unknown[])[];
  readonly stats: Answer["stats"];
};

type Outside = Pick<World, "sleep" | "signal">;

/**
 * Runs a statement and gives its result part by part, as the engine has it. Who stops reading, and who interrupts, ends the
 * query at the engine, too. Throws AuditlakeError in one line.
 */
export async function* ask(
  sql: string,
  trino: Trino,
  transport: Transport,
  world: Outside,
): AsyncGenerator<Part> {
  const headers = buildHeaders(trino);
  const url = new URL("/v1/statement", trino.url);
  let request: HttpRequest | undefined = { method: "POST", url, headers, body: sql };
  // Where the query continues, once the engine has said so.
  let next: URL | undefined;
  let bytes = 0;
  try {
    while (request !== undefined) {
      const { size, found } = await fetchPart(request, trino, transport, world);
      next = found.nextUri === undefined ? undefined : checkOwnUrl(found.nextUri, trino.url);
      bytes += size;
      if (bytes > trino.maxBytes)
        throw new AuditlakeError(
          `the engine's answer has more than ${trino.maxBytes / 1e6} MB; request fewer rows, or raise engines.trino.max_bytes`,
        );
      if (found.error !== undefined) throw toError(found.error);
      yield { columns: found.columns, rows: found.data ?? [], stats: found.stats };
      request = next && { method: "GET", url: next, headers };
    }
  } finally {
    // The result is not read further, so the query is cancelled.
    if (next !== undefined)
      await transport
        .send({ method: "DELETE", url: next, headers }, { repeat: "harmless" })
        .catch(() => undefined);
  }
}

// The engine names the next address; credentials are sent only to the configured one.
function checkOwnUrl(text: string, { origin, protocol }: URL): URL {
  const url = URL.parse(text);
  if (url?.origin === origin) return url;
  throw new AuditlakeError(
    `the engine at ${origin} has another address for the next page (${url?.host ?? "none"}); set engines.trino.url to the engine's own address, with ${protocol}// and its port`,
  );
}

// The timeline of a user has more stages, with the views it rests on, than the engine lets a query have by itself (150).
const maxStages = 1000;

function buildHeaders({
  user,
  password,
  catalog,
  schema,
  timeoutMs,
}: Trino): Record<string, string> {
  const basic = Buffer.from(`${user}:${password}`).toString("base64");
  return {
    "x-trino-user": user,
    "x-trino-catalog": catalog,
    "x-trino-schema": schema,
    "x-trino-source": "auditlake",
    "x-trino-time-zone": "UTC",
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    "x-trino-session": `query_max_run_time=${Math.ceil(timeoutMs / 1000)}s,query_max_stage_count=${maxStages}`,
    ...(password === undefined ? {} : { authorization: `Basic ${basic}` }),
  };
}

async function fetchPart(
  request: HttpRequest,
  trino: Trino,
  transport: Transport,
  world: Outside,
): Promise<{ readonly size: number; readonly found: Answer }> {
  if (world.signal.aborted) throw new AuditlakeError("interrupted", exitCode.interrupted);
  const repeat = request.method === "GET" ? "harmless" : "harmful";
  const sent = await transport.send(request, { repeat });
  const place = `the engine at ${trino.url.origin}`;
  if (sent.outcome !== "answered")
    throw new AuditlakeError(
      `${place}: ${formatOutcome(sent)}; is it running? check engines.trino.url`,
    );
  const { status, text, body } = sent.answer;
  if (status === 401 || status === 403)
    throw new AuditlakeError(
      `${place} refuses user ${trino.user} (${status}); check engines.trino.user and password_env`,
    );
  if (status === 503) await pauseFor(0, world);
  const found = status === 200 ? parseAnswer(text) : undefined;
  if (found !== undefined) return { size: body.length, found };
  throw new AuditlakeError(
    `${place} answered ${status}, but not like Trino; it may be starting, or engines.trino.url may be wrong`,
  );
}

function parseAnswer(text: string): Answer | undefined {
  try {
    return answer.safeParse(JSON.parse(text, reviveNumber)).data;
  } catch {
    return undefined;
  }
}

// Whole numbers of 64 bits do not fit a number of JavaScript.
function reviveNumber(
  _key: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

const version = z.object({
  nodeVersion: z.object({ version: z.string() }),
  starting: z.boolean().optional(),
});

/** The oldest Trino that this was tried with. */
const oldest = 476;

/** Throws AuditlakeError where no Trino answers, where it is starting, or too old. */
export async function refuseUnfit(trino: Trino, transport: Transport): Promise<void> {
  const place = `the engine at ${trino.url.origin}`;
  const sent = await transport.send(
    { method: "GET", url: new URL("/v1/info", trino.url) },
    { repeat: "harmful" },
  );
  if (sent.outcome !== "answered")
    throw new AuditlakeError(
      `${place}: ${formatOutcome(sent)}; is it running? check engines.trino.url`,
    );
  const found = version.safeParse(parseJson(sent.answer.text)).data;
  if (found === undefined)
    throw new AuditlakeError(
      `${place} is not Trino (answered ${sent.answer.status}); check engines.trino.url`,
    );
  if (found.starting === true)
    throw new AuditlakeError(`${place} is starting; run it again in a minute`);
  const number = Number.parseInt(found.nodeVersion.version, 10);
  if (number < oldest)
    throw new AuditlakeError(
      `${place} is Trino ${number}; expected ${oldest} or later, for queries of a table version`,
    );
}

type Fault = { readonly message: string; readonly errorName: string; readonly errorType: string };

/** Errors about the statement: they name parts of it, never values of records. */
const ofStatement = new Set([
  "SYNTAX_ERROR",
  "FUNCTION_NOT_FOUND",
  "TYPE_MISMATCH",
  "COLUMN_NOT_FOUND",
  "TABLE_NOT_FOUND",
  "SCHEMA_NOT_FOUND",
  "CATALOG_NOT_FOUND",
  "NOT_SUPPORTED",
  "OPERATOR_NOT_FOUND",
  "TYPE_NOT_FOUND",
  "AMBIGUOUS_NAME",
  "EXPRESSION_NOT_AGGREGATE",
  "MISSING_COLUMN_NAME",
  "MISSING_COLUMN_ALIASES",
  "INVALID_RECURSIVE_REFERENCE",
  "DUPLICATE_NAMED_QUERY",
  "INVALID_ARGUMENTS",
  "PERMISSION_DENIED",
]);

/** A node of the engine went away during the query. */
const ofNodes = new Set([
  "REMOTE_HOST_GONE",
  "REMOTE_TASK_ERROR",
  "PAGE_TRANSPORT_ERROR",
  "PAGE_TRANSPORT_TIMEOUT",
  "NO_NODES_AVAILABLE",
]);

/** A query that failed without a fault of its own, and may be repeated. */
export class NodeGoneError extends AuditlakeError {
  override name = "NodeGoneError";
}

/** The engine cannot run the statement itself. */
export class StatementRefused extends AuditlakeError {
  override name = "StatementRefused";
}

/** An error of the engine in one line, without the values of records. */
function toError({ message, errorName }: Fault): AuditlakeError {
  const name = escapeControls(errorName).slice(0, 60);
  if (ofNodes.has(name))
    return new NodeGoneError(`the engine lost a node during the query (${name}); run it again`);
  const first = escapeControls(message.split("\n")[0] ?? "").slice(0, 500);
  if (name === "TABLE_NOT_FOUND" || name === "SCHEMA_NOT_FOUND" || name === "CATALOG_NOT_FOUND")
    return new AuditlakeError(
      `the engine reports ${name}: ${first}; run the statements of ${formatCommand("lake", "ddl", "--engine", "trino")}, and check engines.trino.catalog and schema; tables about one home are not in a lake (docs/scale.md)`,
    );
  if (ofStatement.has(name))
    return new StatementRefused(
      `the engine cannot run this statement: ${name}: ${first}; use standard SQL (docs/scale.md)`,
    );
  if (name === "EXCEEDED_TIME_LIMIT")
    return new AuditlakeError(
      "the query exceeded the time limit of the engine; narrow it, or raise engines.trino.timeout (for sql --timeout)",
    );
  return new AuditlakeError(`the engine reports ${name}; see its log for details`);
}
