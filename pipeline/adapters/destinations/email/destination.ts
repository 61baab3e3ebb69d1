import type { EmailTarget } from "../../../../schemas/connectors/email.ts";
import { savedMarker } from "../../../../schemas/connectors/saved.ts";
import {
  type Announcement,
  countRows,
  type Deliver,
  type Delivery,
  type Destination,
} from "../../../outgoing/targets/destination.ts";
import { DeliveryError, formatRowCount } from "../../../outgoing/targets/error.ts";
import {
  type Attachment,
  type Mail,
  type MailResult,
  describeMailFault,
  newMissedNotice,
  sendMail,
  signInToMail,
} from "./send.ts";
import { UsageError } from "../../../base/errors.ts";
import { mailTextWidth } from "../../../base/html/mail.ts";
import { wrapText } from "../../../base/terminal/amounts.ts";
import { textForms } from "../../../base/rows/text-forms.ts";
import type { Row, Rows } from "../../../base/rows/row.ts";
import { isWanted, type Ledger, type Span } from "../../../outgoing/targets/ledger.ts";
import { writeHtmlMessage, writeMailTable } from "../../../outgoing/targets/table.ts";

// Limit of usual mail servers, minus the overhead of encoded attachments.
const mostAttachedBytes = 10 * 1024 * 1024;

/**
 * Sends rows in one message: few of them as a table in it, more as CSV beside the first of them. The message is sent
 * once; if its answer was lost, or the process was killed, its outcome is unknown. Throws UsageError if the rows are
 * too many for a message.
 */
export const deliverByMail: Deliver<EmailTarget> = async (target, rows, context) => {
  const { ledger, deliveryId, credential } = context;
  await ledger.recordInterrupted();
  const content = await readContent(rows, target, (row) => isWanted(ledger.getState(row), context));
  const { total, numbers } = content;
  if (numbers.length === 0) return summarizeDelivery(target.name, ledger, total);
  const { announcement } = context;
  const mail =
    announcement === undefined
      ? buildMail(content, rows, target, deliveryId)
      : buildAnnouncementMail(announcement, deliveryId);
  const span = [numbers[0]!, numbers.at(-1)!] as const;
  const mailed = await sendRecorded(ledger, span, () =>
    sendMail(target, () => credential("password"), mail),
  );
  if (mailed.kind === "stop") throw describeMailFault(target.name, mailed);
  if (mailed.kind === "uncertain")
    throw new DeliveryError(
      { target: target.name, accepted: 0, uncertain: numbers.length, missing: 0 },
      mailed.why,
    );
  const rejected = mailed.kind === "sent" ? mailed.rejected : 0;
  const done = summarizeDelivery(target.name, ledger, total);
  if (rejected === 0) return done;
  context.print(newMissedNotice(target, rejected));
  // Every row arrived, though not with everybody: to send it again would bring it twice to the others.
  return { ...done, outcome: "partial" };
};

// The note that a message begins is on the disk before it goes.
async function sendRecorded(
  ledger: Ledger,
  span: Span,
  send: () => Promise<MailResult>,
): Promise<MailResult> {
  await ledger.begin([span], true);
  const mailed = await send().catch(async (error: unknown) => {
    // A thrown error occurred before anything was sent.
    await ledger.cancel([span]);
    throw error;
  });
  if (mailed.kind === "sent") await ledger.record([span], "accepted");
  else if (mailed.kind === "stop") await ledger.cancel([span]);
  else await ledger.record([span], mailed.kind, mailed.why);
  return mailed;
}

type Content = {
  readonly total: number;
  readonly numbers: readonly number[];
  readonly first: readonly Row[];
  readonly csv: string | undefined;
};

async function readContent(
  { columns, batches }: Rows,
  { name, table_rows: most }: EmailTarget & { readonly name: string },
  wanted: (row: number) => boolean,
): Promise<Content> {
  const first: Row[] = [];
  const numbers: number[] = [];
  let total = 0;
  const csvForm = await textForms.csv();
  let csv = csvForm.header(columns, {});
  for await (const batch of batches) {
    const own = batch.filter((_, at) => wanted(total + at + 1));
    numbers.push(
      ...batch
        .keys()
        .filter((at) => wanted(total + at + 1))
        .map((at) => total + at + 1),
    );
    total += batch.length;
    first.push(...own.slice(0, Math.max(most - first.length, 0)));
    csv += csvForm.rows(own, columns, {});
    if (csv.length > mostAttachedBytes)
      throw new UsageError(
        `target ${name}: the rows exceed the limit of a message (10 MB); export them to a folder; nothing was sent`,
      );
  }
  return { total, numbers, first, csv: numbers.length > most ? csv : undefined };
}

function buildMail(
  { numbers, first, csv }: Content,
  { columns }: Rows,
  { subject }: EmailTarget,
  deliveryId: string,
): Mail {
  const attachments: Attachment[] =
    csv === undefined
      ? []
      : [{ filename: `${deliveryId}.csv`, content: csv, contentType: "text/csv; charset=utf-8" }];
  const more = csv === undefined ? "" : `; these are the first ${first.length}, all are attached`;
  const sentence = `${formatRowCount(numbers.length)}${more}.`;
  const table = { columns, rows: first };
  const title = subject ?? `auditlake: ${deliveryId}`;
  return {
    id: deliveryId,
    subject: title,
    text: `${sentence}\n\n${writeMailTable(table)}\n`,
    html: writeHtmlMessage({ title, text: sentence }, table),
    attachments,
  };
}

// What is to be copied unchanged: a command, an address, and all of a signed head, which follows a blank line.
const isCopied = (line: string): boolean => /^(?:next|see|page): /.test(line);

function buildAnnouncementMail({ title, text, table, facts }: Announcement, id: string): Mail {
  const [message = "", ...heads] = text.split("\n\n");
  const lines = message
    .split("\n")
    .flatMap((line) => (isCopied(line) ? [line] : wrapText(line, mailTextWidth)));
  const parts = [
    lines.join("\n"),
    ...heads,
    ...(table === undefined ? [] : [writeMailTable(table)]),
  ];
  const html = writeHtmlMessage({ title, text, link: facts?.["link"] }, table);
  return { id, subject: title, text: `${parts.join("\n\n")}\n`, html };
}

function summarizeDelivery(target: string, { count }: Ledger, total: number): Delivery {
  const [accepted, refused, uncertain] = (["accepted", "refused", "uncertain"] as const).map(count);
  const isWhole = refused! + uncertain! === 0;
  const notes = total === 0 ? ["no rows, so nothing was sent"] : [];
  return {
    target,
    accepted: accepted!,
    refused: refused!,
    uncertain: uncertain!,
    outcome: isWhole ? "delivered" : "partial",
    notes,
  };
}

/** One message with the rows. */
export const emailDestination: Destination<EmailTarget> = {
  deliver: deliverByMail,
  preview: async ({ to }, rows) =>
    `${formatRowCount(await countRows(rows))} in a message to ${to.join(", ")}`,
  describe: ({ to, host }) =>
    `${to.length === 1 ? to[0] : `${to.length} addresses`} through ${host}`,
  secrets: ({ password }) => [password],
  needsCredentials: ({ password, authentication }) =>
    password !== undefined || authentication !== undefined,
  test: async (target, { credential }) => {
    await signInToMail(target, () => credential("password"));
    const who =
      target.user === undefined ? "accepted the connection" : "accepted user and password";
    return [`the mail server ${who}; nothing was sent`];
  },
  paths: ["ca_file"],
  // Mail systems drop a message whose id they have.
  isNewEachTime: true,
  canNotifyAlone: ({ password }) => password === undefined || password === savedMarker,
};
