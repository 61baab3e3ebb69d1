import type { WebhookTarget } from "../../../../schemas/connectors/webhook.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { textTable, type SmallTable } from "../../../work/targets/table.ts";

/** What a message of a chat says: sentences, and of the rows as many as fit, at most `mostRows` where it is given. */
export type ChatMessage = {
  readonly title: string;
  readonly text?: string;
  readonly table?: SmallTable | undefined;
  readonly mostRows?: number;
};

// Chats turn longer messages away.
const longest = 3000;

/** The body of a request in the shape that the target has for the messages of a chat. */
export function chatBody(
  { body: shape }: Pick<WebhookTarget, "body">,
  message: ChatMessage,
): string {
  const { title } = message;
  const shown = shownText(message);
  if (typeof shape === "object") return JSON.stringify(filled(shape, title, shown));
  if (shape === "blocks")
    return JSON.stringify({
      text: title,
      blocks: [{ type: "section", text: { type: "plain_text", text: shown } }],
    });
  return JSON.stringify({ [shape]: shown });
}

// Rows are left out whole, and what is left out is told: a row that is cut off would look like all of it.
function shownText({ title, text, table, mostRows = Infinity }: ChatMessage): string {
  const head = text === undefined ? title : `${title}\n${text}`;
  if (table === undefined) return truncate(head, longest);
  const { columns, rows } = table;
  for (let count = Math.min(rows.length, mostRows); count > 0; count--) {
    const left = rows.length - count;
    const more = left === 0 ? "" : `\nand ${left} more of ${rowCount(rows.length)}`;
    const whole = `${head}\n${textTable({ columns, rows: rows.slice(0, count) })}${more}`;
    if (whole.length <= longest) return whole;
  }
  const none = `\n${rowCount(rows.length)}, of which none fits a message`;
  return truncate(head, longest - none.length) + none;
}

function truncate(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function filled(value: unknown, title: string, message: string): unknown {
  if (typeof value === "string")
    return value.replaceAll(/\{\{(title|message)\}\}/g, (_, name) =>
      name === "title" ? title : message,
    );
  if (Array.isArray(value)) return value.map((item) => filled(item, title, message));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(item, title, message)]),
  );
}
