import { fault, notify, type Notice } from "../base/notice/notice.ts";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { exitCode, UsageError } from "../base/errors.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import { writePage, type WrittenPage } from "../adapters/page/write-page.ts";
import type { World } from "../base/world.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { readFile } from "node:fs/promises";
import {
  describeMailFault,
  newMissedNotice,
  sendMail,
} from "../adapters/destinations/email/send.ts";
import { writeHtmlMessage } from "../outgoing/targets/table.ts";
import { findTarget, readTargetCredentials } from "../outgoing/deliveries/target.ts";
import { computeSha256 } from "../base/home/durable.ts";

type Flags = { readonly out: string; readonly since: string; readonly mail?: string };

/** Registers `page`. */
export function page(program: Command, world: World): void {
  program
    .command("page")
    .description(
      "write the daily report as one HTML file: completeness, new activity, charts and tables",
    )
    .requiredOption("--out <dir>", "folder for the pages, one file per day")
    .option("--since <time>", "start of the range of the charts: date, RFC 3339 time, or 7d", "30d")
    .option("--mail <target>", "also send the page to this e-mail target")
    .addHelpText(
      "after",
      `
The page is one self-contained file. New activity counts from the data end of the newest page of an
earlier day in the same folder, otherwise from one day ago.

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
      const missed = await sendPageByMail(mail, written.path, text, settings, world);
      print(`sent to ${mail}`);
      if (missed === undefined) return;
      notify(world, missed, exitCode.partial);
    });
}

// One report that fails leaves the page unchanged, and makes the command fail in part.
function printWritten(
  { path, failures }: WrittenPage,
  world: World,
  print: (line: string) => void,
): void {
  for (const why of failures) notify(world, fault("report_failed", { why }), exitCode.partial);
  print(`written: ${path}`);
}

/** Throws UsageError unless the target of a name is an e-mail whose credentials are there. */
function checkMail(name: string, settings: Settings, world: World): void {
  const target = findTarget(settings, name);
  if (target.type !== "email")
    throw new UsageError(
      `target ${name} is of type ${target.type}; expected an email, to which a file can be sent`,
    );
  readTargetCredentials(target, settings, world);
}

/**
 * Sends a file of HTML to the people of an e-mail target, attached to a short message. Returns a notice where some of them
 * did not get it. Throws UsageError where the target is none, AuditlakeError where the mail server does not take it.
 */
async function sendPageByMail(
  name: string,
  path: string,
  text: string,
  settings: Settings,
  world: World,
): Promise<Notice | undefined> {
  checkMail(name, settings, world);
  const target = findTarget(settings, name);
  if (target.type !== "email") return undefined;
  const { of } = readTargetCredentials(target, settings, world);
  const content = await readFile(path);
  const filename = basename(path);
  const digest = computeSha256(content).slice(0, 16);
  const mailed = await sendMail(target, () => of("password"), {
    id: `${filename}-${digest}`,
    subject: target.subject ?? `auditlake: ${filename}`,
    text: `${text}\n`,
    html: writeHtmlMessage([text], undefined),
    attachments: [{ filename, content, contentType: "text/html; charset=utf-8" }],
  });
  if (mailed.kind !== "sent") throw describeMailFault(name, mailed);
  return mailed.rejected === 0 ? undefined : newMissedNotice(target, mailed.rejected);
}
