import type { Command } from "commander";
import { AuditlakeError } from "../../base/errors.ts";
import { verifyOwn } from "../../adapters/lake/run.ts";
import type { Verified } from "../../adapters/lake/verify.ts";
import { streamSink } from "../../answers/report/result.ts";
import { readSettings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { plural } from "../../base/terminal/amounts.ts";

const notes = `
Reads every file that this home has put into the lake: its bytes against the home's own record and the log of
its table, its rows against the published data. Of days that prune took from the database, the bytes alone.

Examples:
  auditlake lake verify`;

/** Registers `lake verify`. */
export function verify(lake: Command, world: World): void {
  lake
    .command("verify")
    .description(
      "compare every file of the lake with what was put there and with the published data",
    )
    .addHelpText("after", notes)
    .action(async (_flags: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { tables, isMoving } = await verifyOwn(settings, world);
      const lines = tables.flatMap((table) =>
        table.faults.length > 0 ? table.faults : [verifiedText(table)],
      );
      await streamSink(world.stdout)(lines.map((line) => `${line}\n`).join(""));
      const faults = tables.reduce((sum, table) => sum + table.faults.length, 0);
      if (faults > 0)
        throw new AuditlakeError(
          `the lake differs in ${plural(faults, "place")}, told above${isMoving ? "; a publish went on meanwhile: run it again when that has ended" : ""}`,
        );
    });
}

function verifiedText({ table, days, rows, byBytes }: Verified): string {
  const what = `${table}: ${plural(days, "part")}, ${plural(rows, "row")}`;
  if (byBytes === 0) return `${what}, as here`;
  return `${what}; ${days - byBytes} as here, ${byBytes} by bytes alone, since the database may lack rows there`;
}
