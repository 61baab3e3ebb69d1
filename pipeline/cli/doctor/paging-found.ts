import { configSchema, type SourceConfig } from "../../../schemas/config.ts";
import { isObject } from "../../../schemas/object.ts";
import { investigate, type Findings } from "../../core/source/discovery/investigate.ts";
import { newAsker } from "../../core/source/discovery/asking.ts";
import type { Client } from "../../core/source/client.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

type Audits = SourceConfig["audits"];

/** Attempts that a client makes of one request where somebody waits for the answer. */
export const patientAttempts = 2;

const longestWaitMs = 15_000;

/** The source with limits for somebody who waits: no long timeouts, and few further attempts. */
export function impatient(source: NamedSource): NamedSource {
  const timeout = Math.min(source.limits.timeout, longestWaitMs);
  return { ...source, limits: { ...source.limits, timeout, max_attempts: patientAttempts } };
}

/** Finds the paging of an impatient source; `isWritten` says that its configuration is one to be tried. */
export function findPaging(
  client: Client,
  { audits, limits }: NamedSource,
  isWritten: boolean,
  world: World,
): Promise<Findings> {
  const asker = newAsker(client, patientAttempts, audits.empty_status);
  return investigate(asker, { audits, limits, isWritten }, world.now());
}

/** What of the settings somebody has to write down: whatever is not the default. */
export function writtenAudits(audits: Audits): object {
  const plain = configSchema.parse({ sources: { a: {} } }).sources["a"]!.audits;
  const { style } = audits.paging;
  return {
    ...(other(audits, plain) as object),
    paging: { style, ...other(audits.paging, plain.paging) },
  };
}

function other(value: object, plain: object): object {
  const defaults = new Map<string, unknown>(Object.entries(plain));
  const kept = Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (JSON.stringify(member) === JSON.stringify(defaults.get(key))) return [];
    const inner = defaults.get(key);
    const isGroup = isObject(member) && isObject(inner);
    return [[key, isGroup ? other(member, inner) : member]];
  });
  return Object.fromEntries(kept) as object;
}
