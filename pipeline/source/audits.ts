import { createHash } from "node:crypto";
import type { SourceConfig } from "../../schemas/config.ts";
import { AuditlakeError } from "../errors.ts";
import { PageError } from "../page/error.ts";
import { countRecords, detectFormat, type PageFormat } from "../page/records.ts";
import type { World } from "../world.ts";
import type { Answer, Client } from "./client.ts";
import { firstPosition, nextPosition, type Position } from "./paging.ts";

/** A half-open window in event time, milliseconds. */
export type Window = { readonly startMs: number; readonly endMs: number };

/** One whole page as the service sent it. */
export type AuditPage = {
  readonly bytes: Buffer;
  readonly format: PageFormat;
  readonly records: number;
  readonly serverTimeMs: number | undefined;
};

type Audits = SourceConfig["audits"];

/**
 * Reads a window page by page (`GET /v4/audits`, seed 001, Endpoints). A page that is not whole is asked for
 * again; a cursor seen before or a full page sent twice stops the window with an error, since going on would
 * double events or never end.
 */
export async function* readWindow(
  client: Client,
  source: SourceConfig,
  window: Window,
  world: World,
): AsyncGenerator<AuditPage> {
  const { audits, limits } = source;
  const seen = new Set<string>();
  let position: Position | undefined = firstPosition(audits.paging);
  let previous = "";
  for (let n = 1; position !== undefined; n++) {
    if (n > limits.max_pages)
      throw new AuditlakeError(
        `the window has more than ${limits.max_pages} pages; shorten sources.<name>.window or raise limits.max_pages`,
      );
    if (seen.has(position.token))
      throw new AuditlakeError(
        `the service sent the ${audits.paging.style} ${n} pages in a second time, so reading would never end; the window was not stored`,
      );
    seen.add(position.token);
    const { answer, page, envelope } = await readPage(
      client,
      audits,
      window,
      position,
      limits.max_attempts,
      world,
    );
    const digest = createHash("sha256").update(answer.body).digest("hex");
    if (page.records > 0 && digest === previous)
      throw new AuditlakeError(
        "the service sent the same page twice: it seems to ignore the paging parameters; check sources.<name>.audits.paging",
      );
    previous = digest;
    if (page.records > 0) yield page;
    position = nextPosition(audits.paging, position, {
      records: page.records,
      envelope,
      headers: answer.headers,
    });
  }
}

type PageRead = { readonly answer: Answer; readonly page: AuditPage; readonly envelope: unknown };

async function readPage(
  client: Client,
  audits: Audits,
  window: Window,
  position: Position,
  maxAttempts: number,
  world: World,
): Promise<PageRead> {
  for (let n = 1; ; n++) {
    const answer = await client.get(position.path ?? audits.path, {
      ...windowParameters(audits, window, position),
      ...position.parameters,
    });
    try {
      return open(answer, audits);
    } catch (error) {
      if (!(error instanceof PageError) || n >= maxAttempts) throw error;
      client.counts.retries += 1;
      await world.sleep(world.random() * 1000 * 2 ** n, world.signal);
    }
  }
}

function open(answer: Answer, audits: Audits): PageRead {
  const isBlank = answer.body.length === 0 || answer.body.toString("latin1", 0, 64).trim() === "";
  // Newline-delimited and CSV answers have nothing else to say "no records" with.
  if (isBlank && !/json$/.test(contentType(answer)))
    return { answer, envelope: null, page: toPage(answer, "ndjson", 0) };
  const format = detectFormat(answer.body);
  const { records, envelope } = countRecords(answer.body, format, audits.records_at);
  return { answer, envelope, page: toPage(answer, format, records) };
}

function toPage(answer: Answer, format: PageFormat, records: number): AuditPage {
  return { bytes: answer.body, format, records, serverTimeMs: answer.serverTimeMs };
}

function contentType(answer: Answer): string {
  return String(answer.headers["content-type"] ?? "")
    .split(";")[0]!
    .trim();
}

// A next URL carries its own parameters.
function windowParameters(
  { window_params: names }: Audits,
  window: Window,
  position: Position,
): Record<string, string> {
  if (names === null || position.path !== undefined) return {};
  const text = (ms: number): string =>
    names.form === "iso8601" ? new Date(ms).toISOString() : String(Math.floor(ms / 1000));
  return { [names.from]: text(window.startMs), [names.to]: text(window.endMs) };
}
