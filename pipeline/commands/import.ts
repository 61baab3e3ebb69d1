import type { Command } from "commander";
import { statSync } from "node:fs";
import { join } from "node:path";
import { isCode, UsageError } from "../errors.ts";
import { whyUnreadable } from "../home/given-file.ts";
import { chooseSource, readSettings } from "../home/settings.ts";
import { importAll } from "../import/all-files.ts";
import { printOnInterrupt } from "../terminal/interrupt.ts";
import type { World } from "../world.ts";

/** Registers `import FILE…`. */
export function importFiles(program: Command, world: World): void {
  program
    .command("import")
    .description("load files of records: JSON, newline-delimited JSON or CSV, plain, gzip or zstd")
    .argument("<file...>", "files to load")
    .option(
      "--users <file>",
      "load the user directory from a file too, as /v3/user/list/ answers it",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake import audits.ndjson\n  auditlake import --source prod 2026-*.json.gz",
    )
    .action(async (files: string[], { users }: { users?: string }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      for (const file of users === undefined ? files : [...files, users]) refuseNone(file);
      const source = chooseSource(settings, world);
      using _notice = printOnInterrupt(
        world,
        "interrupted: the file that is being loaded is finished first; once more ends at once",
      );
      await importAll({ files, users }, settings, source, world);
    });
}

// Before anything is made: no home comes of a name that was mistyped.
function refuseNone(file: string): void {
  if (isFolderThere(file))
    throw new UsageError(
      `${file} is a folder; expected files of records to import, such as ${join(file, "*.json")}`,
    );
}

function isFolderThere(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (error) {
    if (isCode(error, "ENOENT"))
      throw new UsageError(`no such file: ${file}; expected files of records to import`);
    throw new UsageError(`cannot read ${file}: ${whyUnreadable(error)}`);
  }
}
