import { type Command, Option } from "commander";
import { lakeOf } from "../../adapters/lake/open.ts";
import { ddl as statements } from "../../adapters/lake/trino/pinned.ts";
import { engineNames } from "../../../schemas/engines.ts";
import { streamSink } from "../../answers/report/result.ts";
import { readSettings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";

const notes = `
Printed are a schema with the tables of the lake, as reports of auditlake need them, and a second one (its name
ends in _views) with views for whoever asks by other means; those see the newest commit of each table.

Examples:
  auditlake lake ddl --engine trino > lake.sql
  auditlake lake ddl --engine trino --location local:///audit`;

/** Registers `lake ddl`. */
export function ddl(lake: Command, world: World): void {
  lake
    .command("ddl")
    .description("print what to run once at the engine, so that it knows the lake")
    .addOption(
      new Option("--engine <name>", "for which engine").choices(engineNames).makeOptionMandatory(),
    )
    .option("--location <url>", "where the lake lies for the engine (default: lake.location)")
    .addHelpText("after", notes)
    .action(async ({ location }: { readonly location?: string }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { catalog, schema } = settings.config.engines.trino ?? {
        catalog: "lake",
        schema: "audit",
      };
      const at = (location ?? lakeOf(settings).location).replace(/(?<!\/)\/+$/, "");
      const all = statements({ catalog, schema }, at);
      await streamSink(world.stdout)(all.map((sql) => `${sql};\n`).join(""));
    });
}
