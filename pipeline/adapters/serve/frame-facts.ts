import type { DuckDBConnection } from "@duckdb/node-api";
import { setTimeout as delay } from "node:timers/promises";
import type { ConfigFile } from "../../../schemas/config.ts";
import { readStatusLine, type StatusLine } from "../../answers/status/status-line.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { type Facts, bindSource, queryFacts } from "../../base/sql/facts.ts";
import { listSources } from "../../core/store/limit-to-source.ts";
import { ask } from "./ask.ts";
import { cacheWhilePublished } from "./pool.ts";
import type { Site } from "./site.ts";

export type FrameFacts = {
  readonly status: StatusLine;
  readonly sources: readonly string[];
  /** Open findings of severity critical and high. */
  readonly urgent: number;
  readonly domain: string | undefined;
};

// They change with a publication, and a little with the time of day.
const maxAgeMs = 300_000;
// A page does not wait longer for them: it is sent without, or with those of before.
const patienceMs = 150;
const noSignal = new AbortController().signal;

/** Returns what reads the facts of the frame: once per publication and source, and the first time in the background. */
export function newFactsReader(
  site: Pick<Site, "settings" | "world" | "pool" | "timeoutMs">,
): (source: string | undefined) => Promise<FrameFacts | undefined> {
  const known = new Map<string | undefined, FrameFacts>();
  const readers = new Map<
    string | undefined,
    (source: string | undefined) => Promise<FrameFacts>
  >();
  const { settings, world } = site;
  const read = async (source: string | undefined): Promise<FrameFacts> => {
    const facts = await ask(site, noSignal, (connection) =>
      readFrameFacts(connection, source, settings.config, world.now()),
    );
    known.set(source, facts);
    return facts;
  };
  return async (source) => {
    const reader =
      readers.get(source) ??
      cacheWhilePublished(settings.home.published, world.now, maxAgeMs, read);
    readers.set(source, reader);
    try {
      return await Promise.race([
        reader(source),
        delay(patienceMs, known.get(source), { ref: false }),
      ]);
    } catch (error) {
      // A page that needs the published file reports why it cannot be read.
      if (!(error instanceof AuditlakeError)) throw error;
      return undefined;
    }
  };
}

async function readFrameFacts(
  connection: DuckDBConnection,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
): Promise<FrameFacts> {
  const first = async (name: string, isOfSource: boolean): Promise<Facts | undefined> => {
    const path = `queries/pages/frame.sql#${name}`;
    return (await queryFacts(connection, path, isOfSource ? bindSource(source) : {}))[0];
  };
  const findings = await first("findings", true);
  const domain = await first("domain", false);
  return {
    status: await readStatusLine(connection, source, config, nowMs),
    sources: await listSources(connection),
    urgent: Number(findings?.["urgent"] ?? 0),
    domain: typeof domain?.["domain"] === "string" ? domain["domain"] : undefined,
  };
}
