import type { DuckDBConnection } from "@duckdb/node-api";
import type { Command } from "commander";
import type { World } from "../base/world.ts";
import { parseMomentMs } from "../base/time/times.ts";
import { findId } from "../answers/access/find-ids.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import type { MomentFlags, Values } from "../answers/ask/at-moment.ts";
import { askPublished, withMoment } from "./published.ts";
import { addApply } from "./access/review/apply.ts";
import { addExport } from "./access/review/export.ts";
import { addStatus } from "./access/review/status.ts";

type NamedSubject = { readonly user?: string; readonly database?: string };

const notes = `
Names, previous names and ids work. evidence is the source of a right: the log, a snapshot
of the policy, or the user directory; the newest applies. is_certain is false if log and
snapshot contradict each other, if changes within one second are ambiguous, in coverage
gaps, and before the start of the log. since is empty for rights older than the log. A
date means the end of that day in --timezone.`;

/** Registers `access who`, `access what`, `access why` and `access review`. */
export function access(program: Command, world: World): void {
  const verb = program
    .command("access")
    .description("show who can reach a database, what a user can do, and why");
  add(verb, world, {
    name: "who",
    about: "show who can reach a database",
    arguments: ["database"],
    examples: ["access who sales_mart", "access who 4054428 --on 2026-03-01 --format csv"],
  });
  add(verb, world, {
    name: "what",
    about: "show what a user can do",
    arguments: ["user"],
    examples: ["access what ann@example.com", "access what 10128 --on 7d"],
  });
  add(verb, world, {
    name: "why",
    about: "explain how a user can reach a database, step by step",
    arguments: ["user", "database"],
    examples: ["access why ann@example.com crm --on 2026-03-01 --timezone Europe/Paris"],
  });
  addReview(verb, world);
}

type Question = {
  readonly name: "who" | "what" | "why";
  readonly about: string;
  readonly arguments: readonly (keyof NamedSubject)[];
  readonly examples: readonly string[];
};

const shown: Readonly<Record<keyof NamedSubject, readonly [string, string]>> = {
  user: ["<user>", "id, e-mail or name of a user"],
  database: ["<database>", "id or name of a database"],
};

function add(verb: Command, world: World, question: Question): void {
  const command = verb.command(question.name).description(question.about);
  for (const name of question.arguments) command.argument(...shown[name]);
  const examples = question.examples.map((line) => `  auditlake ${line}`).join("\n");
  withMoment(command)
    .addHelpText("after", `${notes}\n\nExamples:\n${examples}`)
    .action(async (...given: unknown[]) => {
      const texts = question.arguments.map((name, i) => [name, given[i]] as const);
      const [flags, self] = given.slice(question.arguments.length) as [MomentFlags, Command];
      await answer(question.name, Object.fromEntries(texts) as NamedSubject, flags, self, world);
    });
}

async function answer(
  name: Question["name"],
  named: NamedSubject,
  flags: MomentFlags,
  command: Command,
  world: World,
): Promise<void> {
  const print = plainPrinter(world, command.optsWithGlobals());
  const onMs = parseMomentMs(flags.on ?? "now", flags.timezone, world.now());
  const findIds = async (
    connection: DuckDBConnection,
    source: string | undefined,
  ): Promise<Values> => {
    const found: Record<string, string | null> = { user_id: null };
    for (const kind of ["user", "database"] as const)
      if (named[kind] !== undefined)
        found[`${kind}_id`] = await findId(connection, kind, named[kind], source, { onMs, print });
    return found;
  };
  const rows = await askPublished(name, findIds, flags, command, world);
  if (name === "why" && rows === 0)
    print("no known right gives that person access to that database at that moment");
}

/** Registers the verbs of `access review`. */
function addReview(verb: Command, world: World): void {
  const review = verb
    .command("review")
    .description("review permissions: export them, apply the decisions, prove the changes");
  for (const add of [addExport, addApply, addStatus]) add(review, world);
}
