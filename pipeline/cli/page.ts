import { notify, type Notice } from "../base/notice/notice.ts";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { exitCode, UsageError } from "../base/errors.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import { type WrittenPage, writePage } from "../adapters/page/write-page.ts";
import type { World } from "../base/world.ts";
import { findPage } from "../answers/page-file/find.ts";
import { findQueriesFolder, listReports, type QueriesFlag } from "../base/report/find.ts";
import { withQueries } from "./output-flags.ts";
import { parseMoment } from "../base/time/times.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { readFile } from "node:fs/promises";
import {
  describeMailFault,
  newMissedNotice,
  sendMail,
} from "../adapters/destinations/email/send.ts";
import { findTarget, readTargetCredentials } from "../outgoing/deliveries/target.ts";
import { computeSha256 } from "../base/home/durable.ts";

type Flags = QueriesFlag & {
  readonly out: string;
  readonly name: string;
  readonly since: string;
  readonly mail?: string;
};

/** Registers `page`. */
export function page(program: Command, world: World): void {
  withQueries(program.command("page"))
    .description("write the daily report, or a page of your own, as one HTML file")
    .requiredOption("--out <dir>", "folder for the pages, one file per day and page")
    .option("--name <page>", "name of a page file, without .md", "daily")
    .option("--since <time>", "start of the range of the charts: date, RFC 3339 time, or 7d", "30d")
    .option("--mail <target>", "also send the page to this e-mail target")
    .addHelpText(
      "after",
      `
The page is one self-contained file. Its links lead to the pages of serve at serve.base_url of the configuration;
without it the page has no links. For a page of your own, put a Markdown file in the folder given with --queries.

Examples:
  auditlake page --out pages
  auditlake page --out pages --since 90d
  auditlake page --out pages --name denials --queries queries
  auditlake page --out pages --mail team`,
    )
    .action(async (flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { out, name, since, mail } = flags;
      // The recipients are checked before the page is made.
      if (mail !== undefined) checkMail(mail, settings, world);
      parseMoment(since, world.now());
      const reports = listReports(settings, flags, world);
      const found = findPage(name, findQueriesFolder(settings, flags, world), reports);
      const options = { page: found, since, reports, isMailed: mail !== undefined };
      const written = await writePage(resolve(out), options, settings, world);
      const print = plainPrinter(world, settings.flags);
      print(`written: ${written.path}`);
      if (mail === undefined) return;
      const missed = await sendPageByMail(mail, written, settings, world);
      print(`sent to ${mail}`);
      if (missed === undefined) return;
      notify(world, missed, exitCode.partial);
    });
}

/** Throws UsageError unless the target of a name is an e-mail whose credentials are there. */
function checkMail(name: string, settings: Settings, world: World): void {
  const target = findTarget(settings, name);
  if (target.type !== "email")
    throw new UsageError(
      `target ${name} is of type ${target.type}; expected type email, which supports attachments`,
    );
  readTargetCredentials(target, settings, world);
}

/**
 * Sends a page to the recipients of an e-mail target: its first findings and numbers, with the file attached. Returns a
 * notice if some did not receive it. Throws UsageError for an invalid target, AuditlakeError if the mail server rejects
 * the message.
 */
async function sendPageByMail(
  name: string,
  { path, mail }: WrittenPage,
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
    subject: target.subject ?? mail!.subject,
    text: mail!.text,
    html: mail!.html,
    attachments: [{ filename, content, contentType: "text/html; charset=utf-8" }],
  });
  if (mailed.kind !== "sent") throw describeMailFault(name, mailed);
  return mailed.rejected === 0 ? undefined : newMissedNotice(target, mailed.rejected);
}
