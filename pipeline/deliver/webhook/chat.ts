import type { WebhookTarget } from "../../../schemas/connectors/webhook.ts";

/** What a message of a chat says. */
export type ChatMessage = { readonly title: string; readonly message: string };

// Chats turn longer messages away.
const longest = 3000;

/** The body of a request in the shape that the target has for the messages of a chat. */
export function chatBody(
  { body: shape }: Pick<WebhookTarget, "body">,
  { title, message }: ChatMessage,
): string {
  const text = `${title}\n${message}`;
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  if (typeof shape === "object") return JSON.stringify(filled(shape, title, shown));
  if (shape === "blocks")
    return JSON.stringify({
      text: title,
      blocks: [{ type: "section", text: { type: "plain_text", text: shown } }],
    });
  return JSON.stringify({ [shape]: shown });
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
