import { type Command, InvalidArgumentError } from "commander";
import { statSync } from "node:fs";
import { join } from "node:path";
import { isCode, UsageError } from "../base/errors.ts";
import { describeUnreadable } from "../base/home/given-file.ts";
import { chooseSource, readSettings } from "../base/home/settings.ts";
import { importAll } from "../core/import/all-files.ts";
import { undoImport } from "../core/import/undo-import.ts";
import { printOnInterrupt } from "../base/terminal/confirm.ts";
import { notifyFindings } from "../outgoing/findings/notify.ts";
import type { World } from "../base/world.ts";

type ImportFlags = {
  readonly users?: string;
  readonly recordsAt?: string;
  readonly separator?: string;
  readonly idAt?: string;
  readonly undo?: string;
};

export function importFiles(program: Command, world: World): void {
  program
    .command("import")
    .description("load exported files: JSON, CSV or Parquet, plain or compressed")
    .argument("[file...]", "files to load")
    .option(
      "--users <file>",
      "also load the user directory from a file, in the format of /v3/user/list/",
    )
    .option(
      "--records-at <path>",
      "dotted path of the records, through lists, if it is not detected",
    )
    .option(
      "--separator <character>",
      'separator of CSV cells, or "tab" (default: as in its header)',
      parseSeparator,
    )
    .option("--id-at <path>", "dotted path of the record id, if it is not id")
    .option("--undo <read>", "undo an import: remove the events that only this import contained")
    .option("--no-findings", "leave the evaluation of detections to the next run")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake import audits.ndjson\n  auditlake import --source prod 2026-*.json.gz\n  auditlake import --records-at hits.hits._source search.json\n  auditlake import --undo 20261127T061500Z-4f2a-file",
    )
    .action(async (files: string[], flags: ImportFlags, command: Command) => {
      const { users, recordsAt: givenAt, separator, undo } = flags;
      const settings = readSettings(command.optsWithGlobals(), world);
      if (undo !== undefined) {
        if (
          files.length > 0 ||
          Object.keys(flags).some((name) => name !== "undo" && name !== "findings")
        )
          throw new UsageError("--undo cannot be combined with files or other options of import");
        return undoImport(undo, settings, world);
      }
      if (files.length === 0) throw new UsageError("missing argument 'file': name files to load");
      for (const file of users === undefined ? files : [...files, users]) refuseNone(file);
      const chosen = chooseSource(settings, world);
      const { audits } = chosen;
      const source = { ...chosen, audits: { ...audits, id_at: flags.idAt ?? audits.id_at } };
      using _notice = printOnInterrupt(
        world,
        "interrupted: finishing the current file first; interrupt again to stop immediately",
      );
      const given = { files, users, form: { givenAt, separator } };
      const code = await importAll(given, settings, source, world);
      const sending = await notifyFindings(settings, world);
      return code ?? sending;
    });
}

function parseSeparator(text: string): string {
  const separator = text === "tab" || text === String.raw`\t` ? "\t" : text;
  if (!/^[^"\r\n]$/.test(separator))
    throw new InvalidArgumentError('expected one character such as ";", or "tab"');
  return separator;
}

// Runs before anything is created, so that a mistyped name does not create a home.
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
    throw new UsageError(`cannot read ${file}: ${describeUnreadable(error)}`);
  }
}
