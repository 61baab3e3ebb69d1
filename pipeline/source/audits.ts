import { createHash } from "node:crypto";
import type { SourceConfig } from "../../schemas/config.ts";
import { AuditlakeError } from "../errors.ts";
import type { PageFormat } from "../page/format.ts";
import type { Client } from "./client.ts";
import { openPage, type OpenedPage } from "./open-page.ts";
import { firstPosition, nextPosition, type Position } from "./paging.ts";

/** A half-open window in event time, milliseconds. */
export type Window = { readonly startMs: number; readonly endMs: number };

/** One whole page as the service sent it; it may be empty. */
export type AuditPage = {
  readonly bytes: Buffer;
  readonly format: PageFormat;
  readonly records: number;
  readonly serverTimeMs: number | undefined;
  /** Of the records alone; empty pages share one. */
  readonly digest: string;
};

type Audits = SourceConfig["audits"];

/**
 * Reads a window page by page (`GET /v4/audits`, seed 001, Endpoints). A page that is not whole is asked for
 * again; a cursor seen before or a page with the same records sent twice stops the window with an error,
 * since going on would double events or never end.
 */
export async function* readWindow(
  client: Client,
  { audits, limits }: Pick<SourceConfig, "audits" | "limits">,
  window: Window,
): AsyncGenerator<AuditPage> {
  const guard = newLoopGuard(audits, limits.max_pages);
  let position: Position | undefined = firstPosition(audits.paging);
  while (position !== undefined) {
    guard.enter(position);
    const page: OpenedPage = await client.get(
      position.address ?? audits.path,
      { ...windowParameters(audits, window), ...position.parameters },
      (answer) => openPage(answer, audits.records_at),
    );
    const digest = guard.see(page);
    const { bytes, format, records, serverTimeMs } = page;
    yield { bytes, format, records, serverTimeMs, digest };
    position = nextPosition(audits.paging, position, page);
  }
}

type LoopGuard = {
  readonly enter: (position: Position) => void;
  /** Returns the digest of the page's records. */
  readonly see: (page: OpenedPage) => string;
};

function newLoopGuard({ paging, window_params: names }: Audits, maxPages: number): LoopGuard {
  const whyWhole =
    names === null
      ? "cannot be cut, since sources.<name>.audits.window_params is null"
      : "is not to be cut any further";
  const tokens = new Set<string>();
  const digests = new Set<string>();
  const enter = ({ token }: Position): void => {
    if (tokens.size >= maxPages)
      throw new AuditlakeError(
        `the window has more than ${maxPages} pages and ${whyWhole}; raise sources.<name>.limits.max_pages`,
      );
    if (tokens.has(token))
      throw new AuditlakeError(
        `page ${tokens.size} names a next page that was read before, so reading would never end; the window was not stored; check sources.<name>.audits.paging`,
      );
    tokens.add(token);
  };
  // An envelope may carry the moment or a number of the answer, so only the records are compared.
  const see = ({ records, recordBytes }: OpenedPage): string => {
    if (records === 0) return "";
    const digest = createHash("sha256").update(recordBytes).digest("hex");
    if (digests.has(digest))
      throw new AuditlakeError(
        `the service sent the same page twice: it seems to ignore ${paging.style} paging as configured; the window was not stored; check sources.<name>.audits.paging`,
      );
    digests.add(digest);
    return digest;
  };
  return { enter, see };
}

function windowParameters(
  { window_params: names }: Audits,
  window: Window,
): Record<string, string> {
  if (names === null) return {};
  const text = (ms: number): string =>
    names.form === "iso8601" ? new Date(ms).toISOString() : String(ms / 1000);
  // Whole seconds, the window's last one included: records outside a window are kept all the same.
  const startMs = Math.floor(window.startMs / 1000) * 1000;
  const endMs = Math.ceil(window.endMs / 1000) * 1000;
  return { [names.from]: text(startMs), [names.to]: text(endMs) };
}
