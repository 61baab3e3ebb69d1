import type { WebhookTarget } from "../../../../schemas/connectors/webhook.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";
import { writeTextTable } from "../../../outgoing/targets/table.ts";
import { createHmac } from "node:crypto";
import { savedMarker } from "../../../../schemas/connectors/saved.ts";
import { checkSecureUrl } from "../../../../schemas/connectors/secure-url.ts";
import { UsageError } from "../../../base/errors.ts";
import { computeSha256 } from "../../../base/home/durable.ts";
import { isInconclusive } from "../../../base/http/faults.ts";
import type { Sent } from "../../../base/http/transport.ts";
import { writeRowObject } from "../../../base/rows/json-text.ts";
import type { Column, Row, RowList, Rows } from "../../../base/rows/row.ts";
import type { DeliveryContext, WithName } from "../../../outgoing/targets/destination.ts";

// Rows that a chat is shown of one request, at most.
const mostRows = 20;

export type Batch = {
  readonly number: number;
  /** Number of its first row, from 1. */
  readonly first: number;
  readonly rows: readonly Row[];
  readonly isLast: boolean;
};

/** The rows in batches of a size, numbered from 1; the last may be shorter. */
export async function* splitIntoBatches(
  rows: Rows["batches"],
  size: number,
): AsyncGenerator<Batch> {
  let waiting: Row[] = [];
  let number = 0;
  const getFirstRow = (batch: number): number => (batch - 1) * size + 1;
  for await (const part of rows)
    for (const row of part) {
      if (waiting.length === size) {
        number += 1;
        yield { number, first: getFirstRow(number), rows: waiting, isLast: false };
        waiting = [];
      }
      waiting.push(row);
    }
  if (waiting.length === 0) return;
  yield { number: number + 1, first: getFirstRow(number + 1), rows: waiting, isLast: true };
}

export function writeBody(
  { number, rows, isLast }: Batch,
  columns: readonly Column[],
  target: WithName<WebhookTarget>,
  { deliveryId, announcement }: DeliveryContext,
): string {
  if (target.body !== "rows") {
    const title = `${deliveryId}: ${formatRowCount(rows.length)}`;
    return writeChatBody(target, announcement ?? { title, table: { columns, rows }, mostRows });
  }
  const head = { delivery: deliveryId, target: target.name, batch: number, last: isLast };
  const objects = rows.map((row) => writeRowObject(row, columns));
  return `${JSON.stringify(head).slice(0, -1)},"rows":[${objects.join(",")}]}`;
}

/** Address and signing secret of requests; no secret for a chat without signatures. */
export type Sender = { readonly url: URL; readonly secret: string | undefined };

/** The address and secret of a target; throws UsageError where the stored address will not do. */
export function newSender(
  target: WithName<WebhookTarget>,
  { credential }: DeliveryContext,
): Sender {
  const secret = target.secret === undefined ? undefined : credential("secret");
  if (target.url !== savedMarker) return { url: new URL(target.url), secret };
  const stored = credential("url");
  const fault = checkSecureUrl(stored);
  if (fault !== undefined) throw new UsageError(`target ${target.name}: the stored url ${fault}`);
  return { url: new URL(stored), secret };
}

/** Posts the body of a batch, signed where the target has a secret. */
export function postBatch(
  { url, secret }: Sender,
  { number }: Batch,
  body: string,
  { http, world, deliveryId }: DeliveryContext,
): Promise<Sent> {
  const digest = computeSha256(body).slice(0, 16);
  const id = `${deliveryId}.${number}.${digest}`;
  // Each try has a signature of its own: a receiver rejects old signatures.
  const buildHeaders = (): Record<string, string> => ({
    "content-type": "application/json",
    ...(secret === undefined
      ? {}
      : signMessage({ id, atSeconds: Math.floor(world.now() / 1000), body }, secret)),
  });
  // A chat shows a message again that it is sent again.
  return http.send(
    {
      method: "POST",
      url,
      headers: buildHeaders,
      body,
      leavesOpen: ({ status }) => isInconclusive(status),
    },
    { repeat: secret === undefined ? "harmful" : "harmless" },
  );
}

/** Content of a chat message: sentences, and as many rows as fit, at most `mostRows` if given. */
export type ChatMessage = {
  readonly title: string;
  readonly text?: string;
  readonly table?: RowList | undefined;
  readonly facts?: Readonly<Record<string, string>>;
  readonly mostRows?: number;
};

// Chats turn longer messages away.
const longest = 3000;

/** The body of a request in the shape that the target has for the messages of a chat. */
export function writeChatBody(
  { body: shape }: Pick<WebhookTarget, "body">,
  message: ChatMessage,
): string {
  const { title } = message;
  const shown = formatMessage(message);
  if (typeof shape === "object")
    return JSON.stringify(fillTemplate(shape, { ...message.facts, title, message: shown }));
  if (shape === "blocks")
    return JSON.stringify({
      text: title,
      blocks: [{ type: "section", text: { type: "plain_text", text: shown } }],
    });
  return JSON.stringify({ [shape]: shown });
}

// Rows are omitted as a whole, with a note: a truncated row would look complete.
function formatMessage({ title, text, table, mostRows = Infinity }: ChatMessage): string {
  const head = text === undefined ? title : `${title}\n${text}`;
  if (table === undefined) return truncateText(head, longest);
  const { columns, rows } = table;
  for (let count = Math.min(rows.length, mostRows); count > 0; count--) {
    const left = rows.length - count;
    const more = left === 0 ? "" : `\nand ${left} more of ${formatRowCount(rows.length)}`;
    const whole = `${head}\n${writeTextTable({ columns, rows: rows.slice(0, count) })}${more}`;
    if (whole.length <= longest) return whole;
  }
  const none = `\n${formatRowCount(rows.length)}, all too long for a message`;
  return truncateText(head, longest - none.length) + none;
}

function truncateText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

const placeholder = /\{\{(title|message|finding_id|severity|event_severity|subject|link)\}\}/g;

// A placeholder that a message has no value for is left empty.
function fillTemplate(value: unknown, facts: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string")
    return value.replaceAll(placeholder, (_, name: string) => facts[name] ?? "");
  if (Array.isArray(value)) return value.map((item) => fillTemplate(item, facts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillTemplate(item, facts)]),
  );
}

/** Signed content: id of the message, time of sending (seconds since the epoch), and body. */
type SignedMessage = { readonly id: string; readonly atSeconds: number; readonly body: string };

/**
 * The headers by which a receiver knows that a message is genuine, fresh and not seen before, after the open convention
 * "Standard Webhooks". `webhook-signature` is `v1,` and the base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`.
 */
export function signMessage(message: SignedMessage, secret: string): Record<string, string> {
  const { id, atSeconds, body } = message;
  const signature = createHmac("sha256", decodeKey(secret)).update(`${id}.${atSeconds}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(atSeconds),
    "webhook-signature": `v1,${signature.digest("base64")}`,
  };
}

function decodeKey(secret: string): Buffer {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret, "utf8");
}
