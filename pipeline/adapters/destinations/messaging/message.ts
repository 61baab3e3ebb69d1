import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import type { Recipient } from "./recipients.ts";

/** The body of the call that sends one message: free text, or a template with its variables by position. */
export function messageOf(target: Messaging, { phone, header, body }: Recipient): string {
  const head = {
    messaging_product: target.messaging_product,
    recipient_type: "individual",
    to: phone,
  };
  if (target.send_mode === "text_message") {
    const text = { body: target.text_content, preview_url: target.preview_url };
    return JSON.stringify({ ...head, type: "text", text });
  }
  const components = [
    ...(header === undefined ? [] : [component("header", [header])]),
    ...(body.length === 0 ? [] : [component("body", body)]),
  ];
  const template = {
    name: target.template_name,
    language: { code: target.language_code },
    components,
  };
  return JSON.stringify({ ...head, type: "template", template });
}

function component(type: "header" | "body", values: readonly string[]): object {
  return { type, parameters: values.map((text) => ({ type: "text", text })) };
}
