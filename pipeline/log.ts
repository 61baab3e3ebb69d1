import { pino } from "pino";
import type { World } from "./world.ts";

/** What a stage may log: named facts and a short sentence, never a record. */
export type Log = {
  readonly debug: (facts: Readonly<Record<string, string | number>>, text: string) => void;
  readonly info: (facts: Readonly<Record<string, string | number>>, text: string) => void;
};

/** A log of JSON lines on standard error; a secret never passes, in whatever field it hides. */
export function newLog(level: string, secrets: readonly string[], world: World): Log {
  // The longest first, so that nothing is left of one that has another in it.
  const forms = secrets.flatMap(formsOf).sort((a, b) => b.length - a.length);
  const write = (line: string): void => {
    world.stderr.write(forms.reduce((text, form) => text.replaceAll(form, "[secret]"), line));
  };
  const timestamp = (): string => `,"time":"${new Date(world.now()).toISOString()}"`;
  return pino({ level, base: null, timestamp }, { write });
}

/** Logs nothing. */
export const noLog: Log = { debug: () => undefined, info: () => undefined };

// Pieces shorter than that stand in many a harmless line, too.
const leastPiece = 8;

// Every way in which a secret may stand in a line of JSON.
function formsOf(secret: string): string[] {
  if (secret === "") return [];
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [escaped, encodeURIComponent(secret), bytes.toString("base64"), ...piecesOf(bytes)];
}

// Inside other base64 it stands in one of three ways, depending on how many bytes come before it.
function piecesOf(bytes: Buffer): string[] {
  const pieces = [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6)];
    return [all.toString("base64"), all.toString("base64url")].map((text) =>
      text.slice(start, end),
    );
  });
  return pieces.filter(({ length }) => length >= leastPiece);
}
