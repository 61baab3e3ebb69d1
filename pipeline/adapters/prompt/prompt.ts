import { createInterface, type Interface } from "node:readline";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { escapeLineControls } from "../../base/printable.ts";
import type { World } from "../../base/world.ts";
import { type Completion, completeLine, type KnownNames } from "./complete.ts";
import { existsSync, readFileSync } from "node:fs";
import { writeDurably } from "../../base/home/durable.ts";

/** What a command or a statement does; a text that it returns becomes the statement under way. */
export type RunText = (text: string, signal: AbortSignal) => Promise<string | undefined>;

export type Prompt = {
  /** Runs a statement, or a command that begins with a dot. */
  readonly run: RunText;
  /** Called at the first completion. */
  readonly known: () => Promise<KnownNames>;
  readonly historyFile: string;
};

const fresh = "sql> ";
const further = "...> ";

// State of the input: the lines of a statement so far, the last query, and whether the user is writing. It also records
// whether the input has ended, after which lines may still wait.
type State = {
  written: string;
  query: AbortController;
  isWriting: boolean;
  isOver: boolean;
  entries: string[];
};

/**
 * Reads statements of one or several lines, each ending with a semicolon, and commands, until the input ends. Ctrl-C
 * discards the input, or only ends the running query.
 */
export async function runPrompt({ run, known, historyFile }: Prompt, world: World): Promise<void> {
  const entries = readHistory(historyFile);
  const query = new AbortController();
  const state: State = { written: "", query, isWriting: true, isOver: false, entries };
  const lines = newLines(state, known, world);
  const end = (): void => lines.close();
  world.signal.addEventListener("abort", end, { once: true });
  try {
    ask(lines, fresh);
    for await (const line of lines) {
      if (await isLast(line, state, run, world)) break;
      await writeHistory(historyFile, state.entries);
      state.query = new AbortController();
      state.isWriting = true;
      if (!state.isOver) ask(lines, state.written === "" ? fresh : further);
    }
  } finally {
    world.signal.removeEventListener("abort", end);
    lines.close();
  }
}

function newLines(state: State, known: Prompt["known"], world: World): Interface {
  const lines = createInterface({
    input: world.stdin,
    output: world.stdout,
    terminal: true,
    history: [...state.entries],
    historySize: kept,
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: Error | null, found?: Completion) => void) =>
      void known().then(
        (names) => done(null, completeLine(line, state.written, names)),
        () => done(null, [[], line]),
      ),
  });
  lines.on("history", (now: string[]) => (state.entries = now));
  lines.on("close", () => (state.isOver = true));
  lines.on("line", () => (state.isWriting = false));
  lines.on("SIGINT", () => {
    if (!state.isWriting) return state.query.abort();
    state.written = "";
    giveUpLine(lines, world);
    ask(lines, fresh);
  });
  return lines;
}

// None of these begins a statement, and each leaves the prompt of some other database.
const leaving = /^\s*(?:\.?(?:quit|exit)|\\q)\s*;?\s*$/i;

async function isLast(line: string, state: State, run: RunText, world: World): Promise<boolean> {
  const { written, entries } = state;
  if (written === "" && leaving.test(line)) return true;
  const isCommand = written === "" && line.trimStart().startsWith(".");
  const text = isCommand ? line.trim() : written === "" ? line : `${written}\n${line}`;
  const standing = isCommand ? "done" : classifyInput(text);
  if (standing === "done" && !isCommand) joinLines(entries, text);
  state.written =
    standing === "empty"
      ? ""
      : standing === "open"
        ? text
        : await runStatement(text, state, run, world);
  return false;
}

async function runStatement(
  text: string,
  { query }: State,
  run: RunText,
  world: World,
): Promise<string> {
  try {
    return (await run(text, AbortSignal.any([query.signal, world.signal]))) ?? "";
  } catch (error) {
    printError(error, query.signal.aborted, world);
    return "";
  }
}

function ask(lines: Interface, prompt: string): void {
  lines.setPrompt(prompt);
  lines.prompt();
}

// The text on the line stays readable and is no part of the next one, as in a shell.
function giveUpLine(lines: Interface, { stdout }: World): void {
  lines.write(null, { ctrl: true, name: "e" });
  stdout.write("^C");
  (lines as Interface & { readonly clearLine: () => void }).clearLine();
}

// A statement of several lines comes back as one; where a comment ends a line it stays in its lines.
function joinLines(entries: string[], statement: string): void {
  const own = statement.split("\n").filter((line) => line.trim() !== "");
  if (own.length < 2 || statement.includes("--")) return;
  const joined = own.map((line) => line.trim()).join(" ");
  const others = entries.filter((entry) => !own.includes(entry) && entry !== joined);
  entries.splice(0, entries.length, joined, ...others);
}

function printError(error: unknown, isGivenUp: boolean, { stderr }: World): void {
  if (isGivenUp) return void stderr.write("\ncanceled\n");
  if (!(error instanceof AuditlakeError)) throw error;
  stderr.write(`error: ${escapeLineControls(getMessage(error))}\n`);
}

/** Progress of a text that is being written: nothing yet, in the middle of a statement, or at its end. */
type InputState = "empty" | "open" | "done";

// What can hide a semicolon, closed or still open at the end of the text, and the semicolon itself.
const pieces =
  /(?<hidden>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|(\$\w*\$)[\s\S]*?(?:\2|$))|(?<end>;)|\s+|[^\s]/g;

/** A statement ends with a semicolon outside quotes and comments, followed by nothing but comments. */
export function classifyInput(text: string): InputState {
  let standing: InputState = "empty";
  for (const { groups = {}, 0: piece } of text.matchAll(pieces)) {
    const isComment = piece.startsWith("--") || piece.startsWith("/*");
    if (groups["end"] !== undefined) standing = "done";
    else if (piece.trim() !== "" && !isComment) standing = "open";
    else if (isComment && !isClosed(piece)) standing = standing === "empty" ? "open" : standing;
  }
  return standing;
}

// A comment to the end of its line leaves the next one alone.
function isClosed(comment: string): boolean {
  return comment.startsWith("--") || (comment.endsWith("*/") && comment.length > 3);
}

/** Number of stored lines. */
const kept = 1000;

/** Returns the lines of earlier prompts, newest first; empty if unreadable. */
export function readHistory(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line !== "").toReversed();
  } catch {
    return [];
  }
}

/** Keeps the newest lines for the next prompt, for their owner alone; a home that cannot be written to keeps none. */
export async function writeHistory(path: string, lines: readonly string[]): Promise<void> {
  const text = lines.slice(0, kept).toReversed().join("\n");
  try {
    await writeDurably(path, Buffer.from(`${text}\n`));
  } catch {
    // Another user may be allowed to read the home.
  }
}
