import { isIP } from "node:net";

// Command lines that mean something that another one does: what to type instead.

type Mistyped = {
  /** The error of the parser. */
  readonly error: string;
  /** The words after the name of the program. */
  readonly argv: readonly string[];
};

/** A pattern of the error, with the word in its first group, and the intended command. */
type Rule = {
  readonly when: RegExp;
  readonly verb?: string;
  readonly meant: (word: string, argv: readonly string[]) => string | undefined;
};

const unknownOption = /^error: unknown option '(--[^'=]+)/;
const unknownCommand = /^error: unknown command '([^']*)'/;
const subjects: Readonly<Record<string, string>> = {
  "--ip": "--address",
  "--ip-address": "--address",
  "--email": "--user",
  "--mail": "--user",
  "--actor": "--user",
  "--person": "--user",
  "--database": "--resource",
  "--table": "--resource",
  "--policy": "--resource",
  "--query": "--job",
};

const rules: readonly Rule[] = [
  {
    when: /^error: too many arguments for 'investigate'[^:]*: (\S+?)\.?\n/,
    meant: (word) => `investigate ${chooseSubjectFlag(word)} ${word}`,
  },
  {
    when: unknownOption,
    verb: "investigate",
    meant: (option, argv) =>
      Object.hasOwn(subjects, option)
        ? `investigate ${subjects[option]} ${readValue(option, argv)}`
        : undefined,
  },
  {
    when: unknownOption,
    verb: "report",
    meant: (option, argv) =>
      /^--[a-z_]+$/.test(option) && argv.includes("run")
        ? `report run ${reportIn(argv)} --param ${option.slice(2)}=${readValue(option, argv)}`
        : undefined,
  },
  { when: unknownCommand, verb: "access", meant: findAccessCommand },
  {
    when: unknownCommand,
    meant: (word, argv) => {
      if (word === "version") return "--version";
      if (/^(?:select|with|from|describe|show)$/i.test(word))
        return `sql "${argv.slice(argv.indexOf(word)).join(" ")}"`;
      return undefined;
    },
  },
];

/** The command that a mistyped one means, such as `auditlake investigate --user rosa`; undefined where none is known. */
export function findMeantCommand({ error, argv }: Mistyped): string | undefined {
  for (const { when, verb, meant } of rules) {
    const word = when.exec(error)?.[1];
    if (word === undefined || (verb !== undefined && !argv.includes(verb))) continue;
    const command = meant(word, argv);
    if (command !== undefined) return `auditlake ${command}`;
  }
  return undefined;
}

function chooseSubjectFlag(word: string): string {
  if (isIP(word) !== 0) return "--address";
  return /^\d+$/.test(word) ? "--job" : "--user";
}

function findAccessCommand(word: string): string | undefined {
  return word.includes("@") || /^\d+$/.test(word) ? `access what ${word}` : undefined;
}

function readValue(option: string, argv: readonly string[]): string {
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const own = argv[at]?.split("=")[1];
  const next = argv[at + 1];
  return own ?? (next === undefined || next.startsWith("-") ? "VALUE" : next);
}

function reportIn(argv: readonly string[]): string {
  const name = argv[argv.indexOf("run") + 1];
  return name === undefined || name.startsWith("-") ? "NAME" : name;
}
