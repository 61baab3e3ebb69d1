import { parseDuration } from "../../../schemas/duration.ts";
import { name as nameForm } from "../../../schemas/name.ts";
import { CronError } from "../../../schemas/cron.ts";
import { AuditlakeError, exitCode, getMessage, UsageError } from "../../base/errors.ts";
import { formatCommand } from "../../base/command-line.ts";
import { checkBase } from "../../base/http/address.ts";
import { parseRule } from "../../outgoing/schedule/rule.ts";
import type { World } from "../../base/world.ts";
import { createInterface } from "node:readline";

/** Flags of `init`, one for each question. */
export type InitFlags = {
  readonly name?: string;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly keyFile?: string;
  readonly authScheme?: string;
  readonly retention?: string;
  readonly window?: string;
  readonly runsPerDay?: string;
  readonly schedule?: string;
  readonly confirm?: true;
  readonly yes?: true;
};

/** What has to be known of a new source. */
export type Answers = {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: { readonly api_key_env: string } | { readonly api_key_file: string };
  readonly authScheme: string;
  /** Text of a duration; undefined where the retention of the service is unknown. */
  readonly retention: string | undefined;
  readonly window: string;
  readonly cron: string;
};

type Question<T> = {
  readonly flag: string;
  readonly given: string | undefined;
  readonly text: string;
  /** Replaces an empty answer, and the answer without a terminal. */
  readonly fallback?: string;
  /** Replaces an empty answer on a terminal only. */
  readonly proposal?: string;
  /** Throws UsageError on an invalid answer. */
  readonly read: (text: string) => T;
};

/** Runs a day that start at the same times every day. */
const crons: Readonly<Record<string, string>> = {
  1: "15 2 * * *",
  2: "15 2,14 * * *",
  3: "15 2,10,18 * * *",
  4: "15 2,8,14,20 * * *",
  6: "15 2,6,10,14,18,22 * * *",
  8: "15 */3 * * *",
  12: "15 */2 * * *",
  24: "15 * * * *",
  48: "15,45 * * * *",
  96: "*/15 * * * *",
};

/** Answers every question by its flag, else on the terminal; throws UsageError, naming the flag, where neither can. */
export async function readAnswers(
  flags: InitFlags,
  dialog: Dialog | undefined,
  world: World,
): Promise<Answers> {
  const askQuestion = <T>(question: Question<T>): Promise<T> =>
    answer(question, flags.yes === true ? undefined : dialog, dialog);
  const asked = buildQuestions(flags, world);
  if (dialog === undefined) refuseMissing(Object.values(asked));
  return {
    name: await askQuestion(asked.name),
    baseUrl: await askQuestion(asked.baseUrl),
    key: await askQuestion(asked.key),
    authScheme: await askQuestion(asked.authScheme),
    retention: await askQuestion(asked.retention),
    window: await askQuestion(asked.window),
    cron: await askQuestion(asked.cron),
  };
}

type Questions = { readonly [K in keyof Answers]: Question<Answers[K]> };

function buildQuestions(flags: InitFlags, world: World): Questions {
  return {
    name: nameQuestion(flags),
    baseUrl: buildAddressQuestion(flags, world),
    key: buildKeyQuestion(flags, world),
    authScheme: buildSchemeQuestion(flags),
    retention: buildRetentionQuestion(flags),
    window: buildWindowQuestion(flags),
    cron: buildRunsQuestion(flags),
  };
}

// All at once: one after the other each costs a try.
function refuseMissing(questions: readonly Question<unknown>[]): void {
  const missing = questions.filter(
    ({ given, fallback }) => given === undefined && fallback === undefined,
  );
  if (missing.length < 2) return;
  throw new UsageError(
    `there is no terminal for questions; add ${missing.map(({ flag }) => flag).join(", ")}; ${formatCommand("init", "--help")} explains them`,
  );
}

async function answer<T>(
  { flag, given, text, fallback, proposal = fallback, read }: Question<T>,
  forAll: Dialog | undefined,
  forNeeded: Dialog | undefined,
): Promise<T> {
  if (given !== undefined) return read(given);
  const dialog = fallback === undefined ? forNeeded : forAll;
  if (dialog === undefined) {
    if (fallback !== undefined) return read(fallback);
    throw new UsageError(`${flag} is missing, and there is no terminal for questions: ${text}`);
  }
  for (;;) {
    const answer = await dialog.ask(proposal === undefined ? text : `${text} [${proposal}]`);
    if (answer === "" && proposal === undefined) {
      dialog.print("there is no default; type an answer, or Ctrl-C to stop");
      continue;
    }
    try {
      return read(answer === "" ? proposal! : answer);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      dialog.print(error.message);
    }
  }
}

// What a source without a configuration is called, so that its events are not read a second time.
const usualName = "default";

function nameQuestion({ name }: InitFlags): Question<string> {
  return {
    flag: "--name",
    given: name,
    text: "a name for the source, such as prod",
    proposal: usualName,
    read: (text) => {
      if (nameForm.safeParse(text).success) return text;
      throw newFlagError("--name", text, "up to 64 letters, digits, dots, dashes and underscores");
    },
  };
}

function buildAddressQuestion({ baseUrl }: InitFlags, { env }: World): Question<string> {
  const known = env["AUDITLAKE_BASE_URL"];
  return {
    flag: "--base-url",
    given: baseUrl,
    text: "the address of the service, such as https://service.example",
    ...(known === undefined ? {} : { fallback: known }),
    read: (text) => {
      checkBase(text, env, "--base-url");
      return text.replace(/(?<!\/)\/+$/, "");
    },
  };
}

const usualKeyEnv = "AUDITLAKE_API_KEY";

// The key itself is never an answer: it would stand in a history, a process list or a scroll-back.
function buildKeyQuestion(
  { keyEnv, keyFile }: InitFlags,
  { env }: World,
): Question<Answers["key"]> {
  if (keyEnv !== undefined && keyFile !== undefined)
    throw new UsageError("--key-env and --key-file exclude each other; expected one of them");
  return {
    flag: "--key-env or --key-file",
    given: keyFile === undefined ? keyEnv : `file ${keyFile}`,
    text: "the environment variable that holds the key, or `file PATH` of a file with mode 600",
    ...(env[usualKeyEnv] === undefined ? {} : { fallback: usualKeyEnv }),
    read: (text) => {
      const path = /^file (.+)$/.exec(text)?.[1];
      if (path !== undefined) return { api_key_file: path };
      if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return { api_key_env: text };
      // It may be the key.
      throw new UsageError(
        "not a valid name of an environment variable; expected letters, digits and underscores",
      );
    },
  };
}

function buildSchemeQuestion({ authScheme }: InitFlags): Question<string> {
  return {
    flag: "--auth-scheme",
    given: authScheme,
    text: "the word before the key in the Authorization header",
    fallback: "SVC1",
    read: (text) => {
      if (/^[!-~]+$/.test(text)) return text;
      throw newFlagError("--auth-scheme", text, "one word");
    },
  };
}

function buildRetentionQuestion({ retention }: InitFlags): Question<string | undefined> {
  return {
    flag: "--retention",
    given: retention,
    text: "retention of the log in the service, such as 24h or 7d, or `unknown`",
    proposal: "unknown",
    read: (text) => (text === "unknown" ? undefined : parseDurationText("--retention", text)),
  };
}

function buildWindowQuestion({ window }: InitFlags): Question<string> {
  return {
    flag: "--window",
    given: window,
    text: "the time range of one read",
    fallback: "1d",
    read: (text) => parseDurationText("--window", text),
  };
}

function buildRunsQuestion({ runsPerDay, schedule }: InitFlags): Question<string> {
  if (runsPerDay !== undefined && schedule !== undefined)
    throw new UsageError("--runs-per-day and --schedule exclude each other; expected one of them");
  return {
    flag: "--runs-per-day or --schedule",
    given: runsPerDay ?? schedule,
    text: "number of reads a day, or their times as five cron fields in UTC",
    proposal: "1",
    read: (text) => {
      const cron = crons[text];
      if (cron !== undefined) return cron;
      if (/^\d+$/.test(text))
        throw newFlagError("--runs-per-day", text, `one of ${Object.keys(crons).join(", ")}`);
      return parseCronText(text);
    },
  };
}

function parseCronText(text: string): string {
  try {
    if (parseRule(text).pattern !== null) return text;
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw new UsageError(`--schedule: ${getMessage(error)}`);
  }
  throw newFlagError("--schedule", text, "five fields, @daily or @hourly");
}

function parseDurationText(flag: string, text: string): string {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1000) return text;
  throw newFlagError(flag, text, "a duration such as 12h or 2d");
}

function newFlagError(flag: string, text: string, expected: string): UsageError {
  return new UsageError(`${flag}: found ${JSON.stringify(text)}; expected ${expected}`);
}

/** Prompts on a terminal; `using` releases its input. */
type Dialog = Disposable & {
  /** The line that was answered, blanks around it left out; throws where the input ends or at Ctrl-C. */
  readonly ask: (question: string) => Promise<string>;
  readonly print: (line: string) => void;
};

/** A dialog on standard input and standard error, so that standard output stays for data. */
export function newDialog(world: World): Dialog {
  // Without raw mode the terminal turns Ctrl-C into a signal.
  const reader = createInterface({ input: world.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const print = (line: string): void => void world.stderr.write(`${line}\n`);
  const stop = (): void => reader.close();
  world.signal.addEventListener("abort", stop, { once: true });
  return {
    print,
    ask: async (question) => {
      world.stderr.write(`${question}: `);
      if (!world.signal.aborted) {
        const { done, value } = await lines.next();
        if (done !== true) return value.trim();
      }
      // Ends the line of the question.
      print("");
      const code = world.signal.aborted ? exitCode.interrupted : exitCode.usage;
      throw new AuditlakeError("unanswered questions; nothing was written", code);
    },
    [Symbol.dispose]: () => {
      world.signal.removeEventListener("abort", stop);
      reader.close();
    },
  };
}
