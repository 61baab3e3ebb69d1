import { Argument, type Command, type Option } from "commander";
import { contract } from "../../schemas/generated/contract.ts";
import { findReports } from "../base/report/find.ts";
import type { World } from "../base/world.ts";

const notes = `
Examples:
  auditlake completion bash > ~/.local/share/bash-completion/completions/auditlake
  auditlake completion zsh >> ~/.zshrc
  auditlake completion fish > ~/.config/fish/completions/auditlake.fish`;

/** Registers `completion`: a script that completes verbs, options, and names of reports and tables. */
export function completion(program: Command, world: World): void {
  program
    .command("completion")
    .description("print a completion script for bash, zsh or fish")
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
    .addHelpText("after", notes)
    .action((shell: Shell) => {
      const names = {
        reports: findReports().reports.map(({ name }) => name),
        tables: contract.map(({ name }) => name),
      };
      world.stdout.write(writeCompletionScript(shell, listPlaces(program, names)));
    });
}

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** What may follow some words of a command line: verbs, options and names. */
type Place = {
  readonly path: readonly string[];
  readonly words: readonly string[];
  readonly options: readonly Option[];
};

/** Names that some verbs take as their arguments. */
type Names = { readonly reports: readonly string[]; readonly tables: readonly string[] };

/** Every place of a program, its own first; verbs that take the name of a report or table get those. */
function listPlaces(program: Command, names: Names): Place[] {
  return listPlacesBelow(program, [], program.options, names);
}

const taken: Readonly<Record<string, keyof Names>> = {
  "report run": "reports",
  "report show": "reports",
  export: "reports",
  tables: "tables",
};

function listPlacesBelow(
  command: Command,
  path: readonly string[],
  always: readonly Option[],
  given: Names,
): Place[] {
  const verbs = command.commands.map((each) => each.name());
  const kind = taken[path.join(" ")];
  const names = kind === undefined ? [] : given[kind];
  const own = path.length === 0 ? [] : command.options;
  const here = { path, words: [...verbs, ...names], options: [...own, ...always] };
  return [
    here,
    ...command.commands.flatMap((each) =>
      listPlacesBelow(each, [...path, each.name()], always, given),
    ),
  ];
}

/** A script that completes the command line of auditlake in a shell. */
function writeCompletionScript(shell: Shell, places: readonly Place[]): string {
  if (shell === "fish") return writeFishScript(places);
  const bash = writeBashScript(places);
  return shell === "bash" ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function writeBashScript(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path.length > 0);
  const steps = known.map(({ path }) => `"${path.join(" ")}"`).join("|");
  const cases = places.map(
    ({ path, words, options }) =>
      `    "${path.join(" ")}") words="${[...words, ...options.map(getFlag)].join(" ")}";;`,
  );
  return `_auditlake() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in
      ${steps}) path="$next";;
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$cur") )
}
complete -o default -F _auditlake auditlake
`;
}

function writeFishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const when = path.length === 0 ? "__fish_use_subcommand" : writeSeen(path);
    const nouns =
      words.length === 0 ? [] : [`complete -c auditlake -n '${when}' -a '${words.join(" ")}'`];
    const flags = options.map(
      (option) =>
        `complete -c auditlake -n '${when}' -l ${getFlag(option).slice(2)}${option.required ? " -r" : ""}`,
    );
    return [...nouns, ...flags];
  });
  return `${lines.join("\n")}\n`;
}

function writeSeen(path: readonly string[]): string {
  return path.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
}

function getFlag({ long, short }: Option): string {
  return long ?? short ?? "";
}
