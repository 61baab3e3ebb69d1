import { type Notice, warning } from "../../../base/notice/notice.ts";
import { type Print } from "../../../base/notice/printer.ts";
import { formatCommand } from "../../../base/command-line.ts";
import { existsSync } from "node:fs";
import { AuditlakeError, getMessage, UsageError } from "../../../base/errors.ts";
import type { Question } from "../../../base/sql/question.ts";
import type { Report } from "../../../base/report/find.ts";
import type { ReportEngine } from "../../../answers/report/engine.ts";
import { withIds } from "../../../answers/ask/question.ts";
import type { Settings } from "../../../base/home/settings.ts";
import { readLimits } from "../../../core/store/limits.ts";
import { openPublished } from "../../../core/store/open.ts";
import type { World } from "../../../base/world.ts";
import { bindSql } from "./pieces.ts";
import { pinSql } from "./pin-sql.ts";
import { type Unportable, findUnportable } from "./portable.ts";
import { type Spent, queryTrino } from "./rows.ts";
import { checkBase } from "../../../base/http/address.ts";
import { newTransport, type Transport, usualTransport } from "../../../base/http/transport.ts";
import { findNewestPublication, type Publication } from "../publication.ts";
import { openStore } from "../open.ts";
import { refuseUnfit, type Trino, StatementRefused } from "./client.ts";

/**
 * Opens the engine for reports, which see the newest publication of the lake. Closing it closes its connections. Throws
 * AuditlakeError.
 */
export async function openTrinoEngine(
  settings: Settings,
  world: World,
  print: Print,
  spent?: (stats: Spent) => void,
): Promise<ReportEngine> {
  const open = await openTrino(settings, world);
  const { trino, publication } = open;
  return {
    rows: async (report, question, signal) => {
      const { warn } = checkPortability(report);
      const asked = await buildQuestion(settings, report, question);
      const sql = pinSql(asked.sql, publication, trino, settings.flags.source);
      const outside = { sleep: world.sleep, signal };
      try {
        const rows = await queryTrino(bindSql(sql, asked.values), open, outside, print, spent);
        if (warn !== undefined) print(warn);
        return rows;
      } catch (error) {
        throw report.isBuiltIn || !(error instanceof StatementRefused)
          ? error
          : new AuditlakeError(`not portable to the engine: ${getMessage(error)}`);
      }
    },
    parquet: () =>
      Promise.reject(new UsageError("the engine cannot write parquet; choose csv, ndjson or json")),
    reach: () => undefined,
    [Symbol.asyncDispose]: async () => open[Symbol.asyncDispose](),
  };
}

// What an engine refuses, it reports itself; what it interprets differently would remain unnoticed.
function checkPortability({ name, isBuiltIn, sql }: Report): { readonly warn: Notice | undefined } {
  const found = isBuiltIn ? [] : findUnportable(sql);
  const listNamed = (effect: Unportable["effect"]): string =>
    found
      .filter((each) => each.effect === effect)
      .map((each) => each.name)
      .join("; ");
  const other = listNamed("other rows");
  if (other !== "")
    throw new UsageError(
      `not portable to the engine, which would return different rows: it has ${other}; rewrite it, or remove --engine`,
    );
  const has = listNamed("maybe other rows");
  return { warn: has === "" ? undefined : warning("report_unportable", { report: name, has }) };
}

// The settings and the published file of this home also apply to the lake.
async function buildQuestion(
  { home, config, flags }: Settings,
  report: Report,
  { sql, values }: Question,
): Promise<Question> {
  const zone = values["timezone"];
  const zoned =
    zone?.value === "default"
      ? { ...values, timezone: { ...zone, value: config.timezone } }
      : values;
  if (report.family !== "access" || !existsSync(home.published)) return { sql, values: zoned };
  await using database = await openPublished(home.published, readLimits(config));
  return await withIds(database.connection, report, { sql, values: zoned }, flags.source);
}

/** An engine that answers, and the publication of the lake that it reads. */
type OpenTrino = AsyncDisposable & {
  readonly trino: Trino;
  readonly transport: Transport;
  readonly publication: Publication;
};

/** Returns the configured engine; throws UsageError if none is configured. */
function readTrino({ config, configFile }: Settings, { env }: World): Trino {
  const found = config.engines.trino;
  if (found === undefined)
    throw new UsageError(
      `no engine trino: ${configFile ?? "the configuration"} has no engines.trino; add "engines": {"trino": {"url": "https://trino.example"}}`,
    );
  const { password_env: passwordEnv, timeout, max_bytes: maxBytes, ...rest } = found;
  const password = passwordEnv === undefined ? undefined : env[passwordEnv];
  if (passwordEnv !== undefined && !password)
    throw new UsageError(`no password for the engine: ${passwordEnv} is not set; set it`);
  const url = checkBase(found.url, env, "engines.trino.url");
  return { ...rest, url, password, timeoutMs: timeout, maxBytes };
}

// The engine answers a request at once, or names the next address.
const options = { ...usualTransport, maxAnswerBytes: 256 * 1024 * 1024 };

/** Opens the engine and reads which publication is the newest. Throws AuditlakeError where either is not to be had. */
export async function openTrino(settings: Settings, world: World): Promise<OpenTrino> {
  const trino = readTrino(settings, world);
  const publication = await readPublication(settings, world);
  const transport = newTransport(options, world);
  const close = async (): Promise<void> => transport[Symbol.asyncDispose]();
  try {
    await refuseUnfit(trino, transport);
    return { trino, transport, publication, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readPublication(settings: Settings, world: World): Promise<Publication> {
  await using store = await openStore(settings, world);
  const publication = await findNewestPublication(store);
  if (publication !== undefined && Object.keys(publication.tables).length > 0) return publication;
  throw new UsageError(
    `the lake ${store.place} has no publication yet; run ${formatCommand("lake", "publish")} first`,
  );
}
