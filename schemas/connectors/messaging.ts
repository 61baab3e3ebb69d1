import { z } from "zod";
import { outputs } from "../outputs.ts";
import { requests } from "./requests.ts";
import { toCamelCase } from "./camel-case.ts";
import { messagingKeys as keys } from "./messaging-keys.ts";
import { authenticationName } from "./saved.ts";

const common = {
  type: z.literal("messaging_business"),
  authentication: authenticationName,
  outputs: outputs.optional(),
  requests,
};

const normalised = z
  .strictObject({
    ...common,
    access_token: keys.access_token,
    send_by: keys.send_by.default("phone_number_id"),
    phone_number_id: keys.phone_number_id.optional(),
    phone_number: keys.phone_number.optional(),
    account_id: keys.account_id.optional(),
    send_mode: keys.send_mode
      .default("text_message")
      .transform((mode) => (mode === "textMessage" ? "text_message" : mode)),
    text_content: keys.text_content.optional(),
    preview_url: keys.preview_url.default(false),
    template_name: keys.template_name.optional(),
    header_variable: keys.header_variable.default(""),
    body_variables: keys.body_variables.default([]),
    // The seed has two defaults; `us` is no language.
    language_code: keys.language_code.default("en"),
    default_country: keys.default_country.optional(),
    base_url: keys.base_url,
    version: keys.version,
    messaging_product: keys.messaging_product,
    templates_path: keys.templates_path.default("message_templates"),
  })
  .superRefine((value, context) => {
    for (const [key, expected] of listMissing(value))
      context.addIssue({
        code: "custom",
        path: [key],
        message: `found nothing; expected ${expected}`,
      });
  });

export type Messaging = z.infer<typeof normalised>;

// Conditions between keys.
function* listMissing(value: Messaging): Generator<readonly [keyof Messaging, string]> {
  const by = `required when send_by is ${value.send_by}`;
  if (value.send_by === "phone_number_id" && value.phone_number_id === undefined)
    yield ["phone_number_id", `the id of the sending phone number, ${by}`];
  if (value.send_by === "display_phone_number" && value.phone_number === undefined)
    yield ["phone_number", `the displayed business phone number, ${by}`];
  if (value.send_by === "display_phone_number" && value.account_id === undefined)
    yield ["account_id", `the id of the business account, ${by}`];
  const mode = `required when send_mode is ${value.send_mode}`;
  if (value.send_mode === "text_message" && value.text_content === undefined)
    yield ["text_content", `the message, ${mode}`];
  if (value.send_mode === "template" && value.template_name === undefined)
    yield ["template_name", `the name of an approved template, ${mode}`];
}

const ownKeys = Object.keys(keys);

// Both spellings of each key; which one is given is looked at below.
const written = z.strictObject({
  ...common,
  ...Object.fromEntries(
    Object.entries(keys).flatMap(([key, form]) => [
      [key, form.optional()],
      [toCamelCase(key), form.optional()],
    ]),
  ),
});

/**
 * The messaging connector, its keys in snake_case or camelCase (seed 002, B); what comes out has snake_case alone. An
 * error names a key as it was written.
 */
export const messaging = written.transform((given: Record<string, unknown>, context) => {
  const isCamel = ownKeys.some((key) => toCamelCase(key) !== key && toCamelCase(key) in given);
  const spellKey = (key: string): string => (isCamel ? toCamelCase(key) : key);
  for (const key of ownKeys)
    if (toCamelCase(key) !== key && key in given && toCamelCase(key) in given)
      context.addIssue({
        code: "custom",
        path: [key],
        message: `is also given as ${toCamelCase(key)}; expected one of the two`,
      });
  const own = ownKeys.map((key) => [key, given[key in given ? key : toCamelCase(key)]]);
  const { type, authentication, outputs: mapping, requests: how } = given;
  const value = {
    type,
    authentication,
    outputs: mapping,
    requests: how,
    ...Object.fromEntries(own),
  };
  const result = normalised.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const [key, ...rest] = issue.path;
    const path = [typeof key === "string" ? spellKey(key) : key!, ...rest];
    context.addIssue({ code: "custom", path, message: issue.message });
  }
  return z.NEVER;
});
