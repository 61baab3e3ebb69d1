import { fault, notify, warning } from "../base/notice/notice.ts";
import { resolve } from "node:path";
import type { Command } from "commander";
import { exitCode } from "../base/errors.ts";
import { checkMail, mailFile } from "./page/mail-file.ts";
import { readSettings } from "../base/home/settings.ts";
import { writePage, type WrittenPage } from "../adapters/page/write-page.ts";
import type { World } from "../base/world.ts";
import { plainPrinter } from "../base/terminal/printer.ts";

type Flags = { readonly out: string; readonly since: string; readonly mail?: string };

/** Registers `page`. */
export function page(program: Command, world: World): void {
  program
    .command("page")
    .description("write the page to open in the morning: health, what is new, charts and tables")
    .requiredOption("--out <dir>", "folder of the pages, one file a day")
    .option("--since <time>", "start of the range of its charts: date, RFC 3339 time, or 7d", "30d")
    .option("--mail <target>", "send the page to an email of the configuration, too")
    .addHelpText(
      "after",
      `
The page is one file that asks for nothing from elsewhere. What is new is counted from where the data of
the newest page of an earlier day in the same folder ended, else from a day ago.

Examples:
  auditlake page --out pages
  auditlake page --out pages --since 90d
  auditlake page --out pages --mail team`,
    )
    .action(async ({ out, since, mail }: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      // The recipients are checked before the page is made.
      if (mail !== undefined) checkMail(mail, settings, world);
      const written = await writePage(resolve(out), since, settings, world);
      const print = plainPrinter(world, settings.flags);
      printWritten(written, world, print);
      if (mail === undefined) return;
      const text = "The page of the audit log is attached.";
      const missed = await mailFile(mail, written.path, text, settings, world);
      print(`sent to ${mail}`);
      if (missed === undefined) return;
      notify(world, warning("text", { text: missed }), exitCode.partial);
    });
}

// One report that fails leaves the page as it is, and makes the command fail in part.
function printWritten(
  { path, failures }: WrittenPage,
  world: World,
  print: (line: string) => void,
): void {
  for (const text of failures) notify(world, fault("text", { text }), exitCode.partial);
  print(`written: ${path}`);
}
