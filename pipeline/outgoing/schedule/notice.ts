import { z } from "zod";
import { computeSha256 } from "../../base/home/durable.ts";
import { listTargetSecrets } from "../deliveries/credentials.ts";
import { findTarget, readTargetCredentials } from "../deliveries/target.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readKey } from "../../core/source/key.ts";
import type { World } from "../../base/world.ts";

export const notice = z.object({
  /** Names the delivery: a notice that is sent again is the same one to its receiver. */
  id: z.string(),
  job: z.string(),
  /** `stopped` by the guard of an activation; `refused` where rows did not arrive. */
  state: z.enum(["failed", "disabled", "well", "missed", "stopped", "refused"]),
  exit_code: z.int().nullable(),
  /** What went wrong, in one line. */
  cause: z.string().nullable(),
  source: z.string().nullable(),
  run_id: z.string().nullable(),
  /** Failures in a row over the configuration, and after how many the job is disabled. */
  configuration_failures: z.int(),
  disable_after: z.int(),
  due_ms: z.int(),
  finished_ms: z.int(),
  message: z.string(),
  more: z.string(),
  /** Of a delivery: rows that arrived, that were refused, and that perhaps arrived. */
  counts: z
    .object({ accepted: z.int(), refused: z.int(), doubtful: z.int() })
    .nullable()
    .default(null),
  /** The first rows that were found, or that did not arrive, where the job allows them in notices. */
  table: z
    .object({ columns: z.array(z.string()), rows: z.array(z.array(z.string())) })
    .nullable()
    .default(null),
  /** Targets that have it already. */
  sent_to: z.array(z.string()).default([]),
});

export type Notice = z.infer<typeof notice>;

/** The id of a notice of a job, safe as the name of a file. */
export function buildNoticeId(job: string, state: Notice["state"], ms: number): string {
  return `schedule-${job}-${state}-${ms}`;
}

// A UUID or another hexadecimal id, a moment, a number.
const varying = new RegExp(
  [
    String.raw`\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b`,
    String.raw`\b(?=[\da-f]*\d)[\da-f]{8,}\b`,
    String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?`,
    String.raw`\d+(?:[.,]\d+)*`,
  ].join("|"),
  "gi",
);

/**
 * Computes the digest of a cause without numbers, moments and ids, which differ from run to run. Failures with the same
 * digest count as the same.
 */
export function causeKey(cause: string): string {
  const kind = cause.replaceAll(varying, "#");
  return computeSha256(kind).slice(0, 16);
}

const maxCauseLength = 400;
// With these kinds of errors the database quotes the value that they are about.
const quoting =
  /((?:Binder|Constraint|Conversion|Invalid Input|Mismatch Type|Out of Range|Parser) Error): .*$/s;

/** A line of a program as a notice may show it: no secret, no value that the database quotes, one line, not long. */
export function formatCause(line: string, secrets: readonly string[]): string {
  const bare = line.replace(quoting, "$1");
  const longestFirst = secrets
    .filter((text) => text !== "")
    .toSorted((a, b) => b.length - a.length);
  const hidden = longestFirst.reduce((text, secret) => text.replaceAll(secret, "[secret]"), bare);
  return hidden.length > maxCauseLength ? `${hidden.slice(0, maxCauseLength)}…` : hidden;
}

/** Lists every secret of the configuration that can be read, so that messages never contain one. */
export function listSecrets(settings: Settings, world: World): string[] {
  const { config, configFolder } = settings;
  const keys = Object.values(config.sources).map((source) => () => [
    readKey(source, configFolder, world.env),
  ]);
  const targets = Object.keys(config.targets).map((name) => findTarget(settings, name));
  // A stored secret may be unreadable; those in the configuration itself are still removed.
  const credentials = targets.flatMap((target) => [
    () => listTargetSecrets(target),
    () => [...readTargetCredentials(target, settings, world).secrets],
  ]);
  return [...keys, ...credentials, () => [world.env["AUDITLAKE_API_KEY"] ?? ""]].flatMap(tryRead);
}

function tryRead(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
