import { z } from "zod";
import { describeRule, showValue } from "./describe-rule.ts";
import { credential } from "./saved.ts";
import { secureUrl } from "./secure-url.ts";

// The keys of the messaging connector (seed 002, B), each as its value is written, without defaults. The address,
// version and product name of the service are not shown there, so they are configuration of our own: base_url,
// version, messaging_product, templates_path.

const identifier = (what: string) =>
  z.string(describeRule(what)).regex(/^[A-Za-z0-9_-]{1,100}$/, describeRule(what));

const language = describeRule("a language such as en or en_US");
const version = describeRule("the version in the paths of the service, such as v1.0");
const templatesPath = describeRule("a name in a path, or null");
const displayed = describeRule("a phone number with its country code, such as +1 631-555-5555");
const template = describeRule("the name of an approved template");
const header = describeRule("one column name, because a template has at most one header variable");
const body = describeRule("a list of column names, or one text separated by commas");

const maxCharacters = 4096;

const textContent = z.string(describeRule("text")).superRefine((text, context) => {
  // What a person counts: an emoji is one character.
  const count = [...text].length;
  if (count > 0 && count <= maxCharacters) return;
  context.addIssue({
    code: "custom",
    message: `found ${count} characters; expected 1 to ${maxCharacters}`,
  });
});

const bodyVariables = z
  .union([z.string(), z.array(z.string())], body)
  .transform((given) => (typeof given === "string" ? given.split(",") : given))
  .transform((names) => names.map((name) => name.trim()))
  .transform((names) => (names.length === 1 && names[0] === "" ? [] : names))
  .superRefine((names, context) => {
    const at = names.indexOf("");
    if (at < 0) return;
    context.addIssue({
      code: "custom",
      message: `variable ${at + 1} of ${showValue(names)} has no name; expected a column for each`,
    });
  });

const country = describeRule("a calling code such as 47, or included");

export const messagingKeys = {
  default_country: z
    .string(country)
    .regex(/^([1-9]\d{0,2}|included)$/, country)
    .describe(
      "calling code of numbers without a leading +, such as 47; included: the digits start with it; default: such numbers are refused",
    ),
  access_token: credential,
  send_by: z.enum(
    ["phone_number_id", "display_phone_number"],
    describeRule("phone_number_id or display_phone_number"),
  ),
  phone_number_id: identifier("the id of the sending phone number, as text").describe(
    "required with send_by phone_number_id",
  ),
  phone_number: z
    .string(displayed)
    .regex(/^\+?[\d .()-]{5,40}$/, displayed)
    .describe("the displayed business phone number, required with send_by display_phone_number"),
  account_id: identifier("the id of the business account, as text").describe(
    "required with send_by display_phone_number; if set, templates are checked before sending",
  ),
  send_mode: z.enum(
    ["text_message", "textMessage", "template"],
    describeRule("text_message or template"),
  ),
  text_content: textContent.describe("the message, required with send_mode text_message"),
  preview_url: z
    .boolean(describeRule("true or false"))
    .describe("show previews of addresses in the text"),
  template_name: z
    .string(template)
    .min(1, template)
    .describe("required with send_mode template; only text templates"),
  header_variable: z
    .string(header)
    .regex(/^[^,]*$/, header)
    .describe("column for the header variable of the template"),
  body_variables: bodyVariables.describe("columns for the body variables, by position"),
  language_code: z
    .string(language)
    .regex(/^[A-Za-z]{2,3}(_[A-Za-z]{2,4})?$/, language)
    .describe("language of the template"),
  base_url: secureUrl.describe("address of the messaging service"),
  version: z.string(version).regex(/^[A-Za-z0-9._-]{1,40}$/, version),
  messaging_product: identifier("the name that the service requires in each message"),
  templates_path: z
    .string(templatesPath)
    .regex(/^[A-Za-z0-9_-]+$/, templatesPath)
    .nullable()
    .describe("path of the template list of an account; null: not checked"),
};
