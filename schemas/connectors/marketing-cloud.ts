import { z } from "zod";
import { outputs } from "../outputs.ts";
import { requests } from "./requests.ts";
import { ColumnOptionsError, parseColumnOptions } from "./column-options.ts";
import { checkFolderPath } from "./folder-path.ts";
import { describeRule, showValue } from "./describe-rule.ts";
import { authenticationName, credential } from "./saved.ts";
import { secureUrl } from "./secure-url.ts";

// The marketing-cloud connector (seed 002, A): every key of its table with type, default, bounds and conditions. Keys
// that the seed mentions without showing them (Authentication, rule 2) have names of our own: account_id, scope,
// rest_uri, soap_uri and soap_namespace. The two addresses are keys since only the token of an enhanced package names
// them.

const text = (rule: string) => z.string(describeRule(rule));
const flag = (what: string) => z.boolean(describeRule("true or false")).describe(what);

const folderPath = text("text")
  .superRefine((path, context) => {
    const fault = checkFolderPath(path);
    if (fault !== undefined)
      context.addIssue({ code: "custom", message: `${showValue(path)} ${fault}` });
  })
  .describe("folder of the data extension, /folder/folder, at most 8 levels");

const columnOptions = text("text").superRefine((options, context) => {
  try {
    parseColumnOptions(options);
  } catch (error) {
    if (!(error instanceof ColumnOptionsError)) throw error;
    context.addIssue({ code: "custom", message: error.message, continue: false });
  }
});

const primaryLength = describeRule("a whole number from 10 to 4000");
const batchSize = describeRule("a whole number from 100 to 32000");
const sendableRules = ["Subscriber Key", "Email Address"] as const;

export const marketingCloud = z
  .strictObject({
    type: z.literal("marketing_cloud_v2"),
    authentication: authenticationName,
    outputs: outputs.optional(),
    requests,
    client_id: credential,
    client_secret: credential,
    auth_type: z
      .enum(["v1", "v2"], describeRule("v1 (legacy package) or v2 (enhanced package)"))
      .default("v2"),
    auth_uri: secureUrl.optional().describe("<auth_base_uri>; required with auth_type v2"),
    rest_uri: secureUrl
      .optional()
      .describe("required with auth_type v1, whose token contains no address"),
    soap_uri: secureUrl
      .optional()
      .describe("required with auth_type v1, whose token contains no address"),
    soap_namespace: z
      .string(describeRule("the namespace of the SOAP messages"))
      .min(1, describeRule("the namespace of the SOAP messages"))
      .default("http://marketing-cloud.example/wsdl/partnerAPI")
      .describe("as in the WSDL of the account's SOAP interface"),
    account_id: z
      .string(describeRule("the identifier of an account (MID) as text"))
      .regex(/^\d{1,20}$/, describeRule("the identifier of an account (MID), digits"))
      .optional()
      .describe("business unit to work in"),
    scope: text("scopes separated by spaces").optional().describe("limits the rights of the token"),
    folder_path: folderPath.default(""),
    create_folder_if_not_exists: flag("create every missing folder of folder_path").default(false),
    de_name: text("the name of a data extension").min(
      1,
      describeRule("the name of a data extension"),
    ),
    create_new_de: flag("create the data extension if it does not exist").default(false),
    primary_column: text("the name of one column").optional(),
    primary_text_length: z
      .int(primaryLength)
      .min(10, primaryLength)
      .max(4000, primaryLength)
      .default(4000),
    column_options: columnOptions.default("").describe("<col>:<TYPE>[(<args>)];<col>:<TYPE>..."),
    is_sendable: flag("whether the created data extension is sendable").default(false),
    sendable_rule: z.enum(sendableRules, describeRule(sendableRules.join(" or "))).optional(),
    sendable_column: text("the name of one column").optional(),
    data_operation: z
      .enum(["upsert", "replace"], describeRule("upsert or replace"))
      .default("upsert"),
    async: flag("asynchronous insertion").default(false),
    continue_on_failure: flag("synchronous insertion only").default(true),
    records_per_batch: z
      .int(batchSize)
      .min(100, batchSize)
      .max(32_000, batchSize)
      .default(32_000)
      .describe("records per call, asynchronous insertion only"),
  })
  .superRefine((value, context) => {
    for (const [key, message] of listBrokenConditions(value))
      context.addIssue({ code: "custom", path: [key], message });
  });

export type MarketingCloud = z.infer<typeof marketingCloud>;

type Fault = readonly [key: keyof MarketingCloud, message: string];

// Conditions between keys.
function* listBrokenConditions(value: MarketingCloud): Generator<Fault> {
  yield* listPackageFaults(value);
  yield* listCreationFaults(value);
  yield* listSendableFaults(value);
}

function* listPackageFaults({
  auth_type,
  auth_uri,
  rest_uri,
  soap_uri,
}: MarketingCloud): Generator<Fault> {
  if (auth_type === "v2" && auth_uri === undefined)
    yield ["auth_uri", "found nothing; expected https://…, required when auth_type is v2"];
  if (auth_type === "v2") return;
  const legacy = "required when auth_type is v1, because a legacy token contains no addresses";
  if (rest_uri === undefined) yield ["rest_uri", `found nothing; expected https://…, ${legacy}`];
  if (soap_uri === undefined) yield ["soap_uri", `found nothing; expected https://…, ${legacy}`];
}

function* listCreationFaults(value: MarketingCloud): Generator<Fault> {
  const { create_new_de: creates, primary_column: primary = "", column_options } = value;
  if (creates && primary.trim() === "")
    yield [
      "primary_column",
      `found ${showValue(value.primary_column)}; expected one column, required when create_new_de is true`,
    ];
  // Seed 002, Errors, rule 1.
  if (creates && /[,;]/.test(primary))
    yield [
      "primary_column",
      `found ${showValue(primary)}, several columns; expected exactly one when create_new_de is true`,
    ];
  if (!creates && column_options.trim() !== "")
    yield [
      "column_options",
      `found ${showValue(column_options)} with create_new_de false; expected it only when create_new_de is true`,
    ];
  const own = parseColumnOptions(column_options).find(({ column }) => column === primary.trim());
  if (own !== undefined && (own.length !== undefined || !/^(TEXT|NUMBER)$/.test(own.type)))
    yield [
      "column_options",
      `gives the primary column ${own.column} another type; expected TEXT, whose length is primary_text_length, or NUMBER`,
    ];
}

function* listSendableFaults(value: MarketingCloud): Generator<Fault> {
  if (!value.is_sendable) return;
  if (value.sendable_rule === undefined)
    yield [
      "sendable_rule",
      `found nothing; expected ${sendableRules.join(" or ")}, required when is_sendable is true`,
    ];
  if ((value.sendable_column ?? "").trim() === "")
    yield [
      "sendable_column",
      `found ${showValue(value.sendable_column)}; expected one column, required when is_sendable is true`,
    ];
}
