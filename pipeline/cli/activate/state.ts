import type { Command } from "commander";
import { Option } from "commander";
import { name as activationName } from "../../../schemas/name.ts";
import { type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { newTextResult } from "../../answers/report/result.ts";
import { resync, withActivation } from "../../outgoing/activations/run.ts";
import { agreeTo } from "../../outgoing/activations/guard.ts";
import {
  hasMemory,
  noFacts,
  resetActivation,
  listRowStates,
  stateColumns,
  readStateFacts,
} from "../../outgoing/activations/state.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { askOnTerminal } from "../../base/terminal/confirm.ts";
import { writeRows } from "../../answers/report/output.ts";
import { type QueriesFlag, listReports } from "../../base/report/find.ts";
import { findConfigured } from "../../outgoing/activations/find-activation.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { withQueries } from "../output-flags.ts";

type Format = { readonly format: RowFormat };
type Yes = { readonly yes?: true };

/** Registers `activate list`, `show`, `reset` and `resync`. */
export function addState(verb: Command, world: World): void {
  addList(verb, world);
  addShow(verb, world);
  addReset(verb, world);
  addResync(verb, world);
}

function formatOption(): Option {
  return new Option("--format <format>", "output format").choices(rowFormats).default("table");
}

function addList(verb: Command, world: World): void {
  verb
    .command("list")
    .description("list the activations with their status")
    .addOption(formatOption())
    .addHelpText("after", "\nExample:\n  auditlake activate list")
    .action(async ({ format }: Format, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const rows = [];
      for (const [name, activation] of Object.entries(settings.config.activations).toSorted()) {
        const facts = await readFacts(name, settings, world);
        const source = activation.report ?? activation.activation_actions_table ?? "";
        rows.push([name, source, ...stateColumns.map((column) => facts[column])]);
      }
      const print = plainPrinter(world, settings.flags);
      const result = newTextResult(["activation", "source", ...stateColumns], rows);
      await writeRows(result, format, {}, world, print);
    });
}

async function readFacts(name: string, settings: Settings, world: World) {
  if (!hasMemory(settings.home, name)) return noFacts;
  return withActivation(name, `activate list`, settings, world, readStateFacts);
}

function addShow(verb: Command, world: World): void {
  verb
    .command("show")
    .description("show the status of each row of an activation")
    .argument("<name>", "an activation")
    .addOption(formatOption())
    .addHelpText("after", "\nExample:\n  auditlake activate show new_denials --format csv")
    .action(async (name: string, { format }: Format, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const print = plainPrinter(world, settings.flags);
      checkKnown(name, settings);
      await withActivation(name, `activate show ${name}`, settings, world, async (connection) => {
        const rows = await listRowStates(name, connection, world);
        await writeRows(rows, format, {}, world, print);
      });
    });
}

function addReset(verb: Command, world: World): void {
  verb
    .command("reset")
    .description("delete the stored state: the next run treats every row as new")
    .argument("<name>", "an activation")
    .option("--yes", "do not ask for confirmation")
    .addHelpText("after", "\nExample:\n  auditlake activate reset new_denials")
    .action(async (name: string, _flags: Yes, command: Command) => {
      // A flag that `activate` has, too, is taken by `activate`, so it is read from there.
      const flags = command.optsWithGlobals<Yes>();
      const settings = readSettings(command.optsWithGlobals(), world);
      checkKnown(name, settings);
      const agreement = { confirmed: flags.yes === true, ask: askOnTerminal(world) };
      await agreeTo(
        `${name}: delete the stored state? The next run then delivers every row.`,
        agreement,
      );
      const wasThere = await resetActivation(name, settings, world);
      const print = plainPrinter(world, settings.flags);
      print(
        `${name}: ${wasThere ? "state deleted; the next run treats every row as new" : "no stored state"}`,
      );
    });
}

function addResync(verb: Command, world: World): void {
  withQueries(
    verb.command("resync").description("store the current rows as delivered; deliver nothing"),
  )
    .argument("<name>", "an activation")
    .option("--yes", "do not ask for confirmation")
    .addHelpText("after", "\nExample:\n  auditlake activate resync new_denials")
    .action(async (name: string, _flags: Yes, command: Command) => {
      const flags = command.optsWithGlobals<QueriesFlag & Yes>();
      const settings = readSettings(command.optsWithGlobals(), world);
      const { activation } = findConfigured(name, settings);
      const print = plainPrinter(world, settings.flags);
      const ask = askOnTerminal(world);
      const agreement = { confirmed: flags.yes === true, ask };
      await agreeTo(`${name}: store all current rows as delivered?`, agreement);
      const order = { allowsEmpty: true, ...agreement, print };
      const reports = listReports(settings, flags, world);
      const rows = await resync({ name, activation, reports, order }, settings, world);
      print(`${name}: ${rows} rows stored as delivered; nothing was sent`);
    });
}

// Also one of a workflow file, which is in no configuration.
function checkKnown(name: string, settings: Settings): void {
  const isName = activationName.safeParse(name).success;
  if (!isName || !hasMemory(settings.home, name)) findConfigured(name, settings);
}
