import { pino } from "pino";
import type { World } from "./world.ts";

/** What a stage may log: named facts and a short sentence, never a record. */
export type Log = {
  readonly debug: (facts: Readonly<Record<string, string | number>>, text: string) => void;
  readonly info: (facts: Readonly<Record<string, string | number>>, text: string) => void;
};

/** A log of JSON lines on standard error; a secret never passes, in whatever field it hides. */
export function newLog(level: string, secrets: readonly string[], world: World): Log {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret)]);
  const write = (line: string): void => {
    world.stderr.write(forms.reduce((text, form) => text.replaceAll(form, "[secret]"), line));
  };
  const timestamp = (): string => `,"time":"${new Date(world.now()).toISOString()}"`;
  return pino({ level, base: null, timestamp }, { write });
}

/** Logs nothing. */
export const noLog: Log = { debug: () => undefined, info: () => undefined };

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
