import { formatLine } from "../../../../../pipeline/base/notice/printer.ts";
import { expect, it } from "vitest";
import { AuditlakeError, exitCode } from "../../../../../pipeline/base/errors.ts";
import {
  buildMessage,
  findSenderId,
  type Session,
} from "../../../../../pipeline/adapters/destinations/messaging/session.ts";
import { checkTemplate } from "../../../../../pipeline/adapters/destinations/messaging/template.ts";
import { messaging } from "../../../../../schemas/connectors/messaging.ts";

const target = (change: object) =>
  messaging.parse({
    type: "messaging_business",
    access_token: "t",
    base_url: "https://messages.example.com",
    version: "v1.0",
    messaging_product: "messages",
    phone_number_id: "1",
    send_mode: "template",
    template_name: "note",
    account_id: "77",
    ...change,
  });
const lists = (data: unknown): Session =>
  ({
    list: () => (data instanceof Error ? Promise.reject(data) : Promise.resolve(data)),
  }) as unknown as Session;

async function listMessages(change: object, data: unknown): Promise<string> {
  const lines: string[] = [];
  await checkTemplate(target(change), lists(data), (line) => lines.push(formatLine(line))).catch(
    ({ message }: Error) => lines.push(message),
  );
  return lines.join("\n");
}

const body = (text: string) => ({ type: "body", text });
const header = (text: string, format?: string) => ({
  type: "HEADER",
  text,
  ...(format && { format }),
});
const of = (components: unknown, change: object = {}) => [
  { name: "other", language: "en", components: [] },
  { name: "note", language: "en", status: "approved", components, ...change },
];
const two = { body_variables: ["a", "b"] };

it.each<[what: string, change: object, data: unknown, message: string]>([
  ["fits", two, of([body("{{1}} and {{ 2 }}, {{1}}")]), ""],
  ["fits, with a header", { header_variable: "h" }, of([header("{{1}}"), body("none")]), ""],
  ["is that of no status", {}, of([body("none")], { status: undefined }), ""],
  [
    "has more variables",
    { body_variables: ["a"] },
    of([body("{{1}} {{2}}")]),
    "body_variables: found 1; expected 2, as many as template note defines; nothing was sent",
  ],
  [
    "has fewer variables",
    two,
    of([]),
    "body_variables: found 2; expected 0, as many as template note defines; nothing was sent",
  ],
  [
    "has no header",
    { header_variable: "h" },
    of([header("plain")]),
    "header_variable: template note defines no header variable; remove the key; nothing was sent",
  ],
  [
    "has a header",
    {},
    of([header("{{1}}")]),
    "header_variable: template note defines a header variable; name a column for it; nothing was sent",
  ],
  [
    "has a picture",
    {},
    of([header("", "image")]),
    "template_name: template note has a header of IMAGE; expected a text header; nothing was sent",
  ],
  [
    "is not approved",
    {},
    of([], { status: "PENDING" }),
    "template_name: template note has status PENDING; expected an approved one; nothing was sent",
  ],
  [
    "is of another language",
    { language_code: "no" },
    [...of([]), ...of([], { language: "de" })],
    "language_code: template note does not exist in no; it exists in en, de; nothing was sent",
  ],
  [
    "is not there",
    { template_name: "nosuch" },
    of([]),
    "template_name: account 77 has no template nosuch; nothing was sent",
  ],
  [
    "cannot be asked for without an account",
    { account_id: undefined },
    new Error("never asked"),
    "note: the variables of template note are not compared before sending, because account_id is not set",
  ],
  [
    "cannot be asked for without a path",
    { templates_path: null },
    new Error("never asked"),
    "note: the variables of template note are not compared before sending, because templates_path is null",
  ],
  [
    "cannot be had",
    {},
    new AuditlakeError("it answered 500"),
    "warning: the variables of template note are not compared before sending: it answered 500",
  ],
  [
    "may not be read with this key",
    {},
    new AuditlakeError("the key is refused", exitCode.refused),
    "the key is refused",
  ],
  [
    "is not asked for",
    { send_mode: "text_message", text_content: "x" },
    new Error("never asked"),
    "",
  ],
])("a template that %s is checked before anything is sent", async (_, change, data, expected) => {
  expect(await listMessages(change, data)).toBe(expected);
});

it("the sending number is found by its displayed form, or the existing ones are listed", async () => {
  const by = { send_by: "display_phone_number", phone_number: "+1 631-555-0001" };
  const found = [
    { id: "1", display_phone_number: "+1 631-555-0000" },
    { id: "2", display_phone_number: "1 (631) 5550001" },
  ];
  expect(await findSenderId(target(by), lists(found))).toBe("2");
  expect(
    await findSenderId(target({ phone_number_id: "9" }), lists(new Error("never asked"))),
  ).toBe("9");
  await expect(findSenderId(target(by), lists(found.slice(0, 1)))).rejects.toThrow(
    "phone_number: account 77 has no number +1 631-555-0001; it has +1 631-555-0000; nothing was sent",
  );
  await expect(findSenderId(target(by), lists([]))).rejects.toThrow(
    "; it has none; nothing was sent",
  );
});

it.each<[header: string | undefined, body: string[], components: object[]]>([
  [undefined, [], []],
  ["h", [], [{ type: "header", parameters: [{ type: "text", text: "h" }] }]],
  [
    undefined,
    ["a", "b"],
    [{ type: "body", parameters: ["a", "b"].map((text) => ({ type: "text", text })) }],
  ],
])("fills a template with the header %j and the values %j", (given, values, components) => {
  const message = buildMessage(target({}), {
    row: 1,
    alike: [],
    phone: "+16315550001",
    header: given,
    body: values,
  });
  expect(JSON.parse(message)).toMatchObject({
    recipient_type: "individual",
    to: "+16315550001",
    type: "template",
    template: { name: "note", language: { code: "en" }, components },
  });
});
