import { pino } from "pino";
import { newScrub } from "../home/secrets.ts";
import type { World } from "../world.ts";

/** What a stage may log: named facts and a short sentence, never a record. */
export type Log = {
  readonly debug: (facts: Readonly<Record<string, string | number>>, text: string) => void;
  readonly info: (facts: Readonly<Record<string, string | number>>, text: string) => void;
};

/** Creates a log of JSON lines on standard error, without secrets in any field. */
export function newLog(level: string, secrets: readonly string[], world: World): Log {
  const scrub = newScrub(secrets);
  const hideSecrets = (_key: string, value: unknown): unknown =>
    typeof value === "string" ? scrub(value) : value;
  const write = (line: string): void =>
    void world.stderr.write(`${JSON.stringify(JSON.parse(line), hideSecrets)}\n`);
  const writeTimestamp = (): string => `,"time":"${new Date(world.now()).toISOString()}"`;
  return pino({ level, base: null, timestamp: writeTimestamp }, { write });
}

export const noLog: Log = { debug: () => undefined, info: () => undefined };
