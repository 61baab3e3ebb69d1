import { type ExitCode, isBadStatement, getMessage } from "../errors.ts";
import { formatCommand } from "../command-line.ts";
import { escapeLineControls } from "../printable.ts";
import type { PlainNotice, World } from "../world.ts";
import { sentences } from "./sentences.ts";

/** What a notice is about; each code has one sentence. */
export type NoticeCode = keyof typeof sentences;

/** The facts that the sentence of a code has in it; they are JSON. */
export type FactsOf<C extends NoticeCode> = Parameters<(typeof sentences)[C]>[0];

/** One fact for the user, as data: it becomes text where it leaves the program. */
export type Notice<C extends NoticeCode = NoticeCode> = PlainNotice & {
  readonly code: C;
  readonly facts: FactsOf<C>;
};

export function warning<C extends NoticeCode>(
  code: C,
  facts: FactsOf<C>,
  command?: readonly string[],
): Notice<C> {
  return { code, level: "warning", facts, ...(command === undefined ? {} : { command }) };
}

/** Builds the notice of an error that ends a part of the work; an error that ends all of it is thrown. */
export function fault<C extends NoticeCode>(
  code: C,
  facts: FactsOf<C>,
  command?: readonly string[],
): Notice<C> {
  return { ...warning(code, facts, command), level: "error" };
}

/** The notice of an error that was thrown, with its message or the text that explains it. */
export function faultOf(error: unknown, text = getMessage(error)): Notice {
  return isBadStatement(error) ? fault("statement_bad", { text }) : fault("failed", { text });
}

/** The sentence of a notice, its command with the flags of this process. */
export function formatNotice({ code, facts, command = [] }: Notice): string {
  const sentence = sentences[code] as (facts: object, command: string) => string;
  return sentence(facts, command.length === 0 ? "" : formatCommand(...command));
}

/**
 * Writes a notice on standard error, also under `--quiet`, and hands it to the edge of the program, with the exit code
 * that it brings about.
 */
export function notify(
  world: Pick<World, "stderr" | "noticed">,
  notice: Notice,
  exitCode?: ExitCode,
): void {
  world.noticed?.(exitCode === undefined ? notice : { ...notice, exitCode });
  world.stderr.write(`${notice.level}: ${escapeLineControls(formatNotice(notice))}\n`);
}

const withheld = new Map<string, string>();

/**
 * Marks a text that must stay on this machine, since a service's words or an id can identify people. Returns the text,
 * which this terminal shows; messages to other places contain `instead`.
 */
export function withhold(text: string, instead = ""): string {
  withheld.set(escapeLineControls(text), instead);
  return text;
}

/** A text without what stays on this machine. */
export function withoutWithheld(text: string): string {
  let shown = text;
  for (const [own, instead] of withheld) shown = shown.replaceAll(own, () => instead);
  return shown;
}
