import type { Command } from "commander";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import type { SettledTarget } from "../../deliver/connector.ts";
import { type RowFormat, rowFormats } from "../../report/formats.ts";
import { textResult } from "../../report/result.ts";
import { settledTarget, targetCredentials } from "../../delivery/target.ts";
import { UsageError } from "../../errors.ts";
import { settle, type Settings } from "../../home/settings.ts";
import type { World } from "../../world.ts";
import { sayTo, writeRows } from "../../report/output.ts";
import { Option } from "commander";

/** Registers `export targets`. */
export function addTargets(verb: Command, world: World): void {
  verb
    .command("targets")
    .description("list the configured targets, without their credentials")
    .addOption(
      new Option("--format <format>", "form of the output").choices(rowFormats).default("table"),
    )
    .addHelpText("after", "\nExamples:\n  auditlake export targets")
    .action(async ({ format }: { format: RowFormat }, command: Command) => {
      const settings = settle(command, world);
      const names = Object.keys(settings.config.targets).toSorted();
      const rows = names.map((name) => {
        const target = settledTarget(settings, name);
        return [name, target.type, placeOf(target), credentialsText(target, settings, world)];
      });
      const say = sayTo(world, settings.flags.quiet === true);
      if (rows.length === 0) say("no targets: add one under targets in the configuration");
      const result = textResult(["target", "type", "goes_to", "credentials"], rows);
      await writeRows(result, format, {}, world, say);
    });
}

// The path of an address may be a secret of its own.
function placeOf(target: SettledTarget): string {
  switch (target.type) {
    case "marketing_cloud_v2":
      return `data extension ${target.de_name}`;
    case "messaging_business":
      return new URL(target.base_url).origin;
    case "file":
      return target.folder;
    case "webhook":
      return target.url === savedMarker ? "a stored address" : new URL(target.url).origin;
    case "email":
      return `${target.to.length === 1 ? target.to[0] : `${target.to.length} addresses`} through ${target.host}`;
  }
}

function credentialsText(target: SettledTarget, settings: Settings, world: World): string {
  const isOpen = target.type === "email" && target.password === undefined;
  if (target.type === "file" || isOpen) return "none needed";
  try {
    targetCredentials(target, settings, world);
    return target.authentication ?? "in the configuration";
  } catch (error) {
    if (error instanceof UsageError) return "missing";
    throw error;
  }
}
