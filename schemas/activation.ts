import { z } from "zod";
import { describeKeys, describeRule, showValue } from "./connectors/describe-rule.ts";
import { target } from "./connectors.ts";
import { gatewayUrl } from "./integrations.ts";
import { outputs } from "./outputs.ts";

// Parameters of an incremental activation (seed 002, C and Limits).

/** Status of a row since the previous run. */
export const deltaStatuses = ["new", "updated", "deleted", "unchanged"] as const;
export type DeltaStatus = (typeof deltaStatuses)[number];

const column = z
  .string(describeRule("the name of a column"))
  .min(1, describeRule("the name of a column"));

const mapping = z.strictObject(
  {
    delta_status: z.enum(deltaStatuses, describeRule(`one of ${deltaStatuses.join(", ")}`)),
    connector_field: z.string(describeRule("the name of a field of the connector")).min(1),
    connector_field_value: z.union(
      [z.string(), z.number(), z.boolean()],
      describeRule("a text, a number, true or false"),
    ),
  },
  describeKeys("delta_status, connector_field and connector_field_value"),
);

const settings = z.looseObject({ type: z.string(describeRule("the type of a connector")) });

const share = describeRule("a share from 0 to 1, such as 0.2");
const least = describeRule("a whole number of rows");

const guard = z.strictObject(
  {
    share: z.number(share).min(0, share).max(1, share).default(0.2),
    rows: z.int(least).min(0, least).default(10),
  },
  describeKeys("share and rows"),
);

const keys = {
  report: column.optional().describe("the report whose rows are activated"),
  sql_file: column
    .optional()
    .describe(
      "a file with one SELECT, run in a sandbox; a relative path starts at the configuration file",
    ),
  params: z.record(z.string(), z.string()).default({}).describe("parameters of the report"),
  activation_actions_db: column.default("main").describe("schema of the table"),
  activation_actions_table: column.optional().describe("the table or view that is activated"),
  api_endpoint: gatewayUrl
    .optional()
    .describe(
      "compared with integrations.gateways; fetched if the integrations of its site enable it",
    ),
  id_key: column.describe("the column that identifies a row; its values are unique and never null"),
  delta_keys: z
    .array(column, describeRule("a list of columns"))
    .default([])
    .describe("columns whose change marks a row as updated; default: id_key"),
  activation_mappings: z
    .array(mapping, describeRule("a list of elements, at most one per status"))
    .min(
      1,
      describeRule("one element or more: rows of a status without an element are not delivered"),
    )
    .max(deltaStatuses.length, describeRule("at most 4 elements, one per status"))
    .describe("settings of the connector for rows of each status"),
  result_connection_name: column.describe("the stored authentication of the connector"),
  result_connection_settings: settings.describe("configuration of the connector, with its type"),
  outputs: outputs.optional(),
  guard: guard
    .default({ share: 0.2, rows: 10 })
    .describe(
      "a run that would delete or update more than this share of the rows at the destination, and at least this many rows, stops and asks",
    ),
};

const form = z.strictObject(keys, describeKeys(Object.keys(keys).join(", ")));

/** One activation of the configuration. */
export const activation = form.superRefine((value, context) => {
  const addIssue = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  const { report, sql_file, activation_actions_table: table } = value;
  if ([report, sql_file, table].filter((each) => each !== undefined).length !== 1)
    addIssue(["report"], "expected exactly one of report, activation_actions_table and sql_file");
  const statuses = value.activation_mappings.map((each) => each.delta_status);
  const twice = statuses.findIndex((status, i) => statuses.indexOf(status) < i);
  if (twice >= 0)
    addIssue(
      ["activation_mappings", twice, "delta_status"],
      `${showValue(statuses[twice])} occurs twice; expected at most one element per status`,
    );
  const repeated = value.delta_keys.find((key, i) => value.delta_keys.indexOf(key) < i);
  if (repeated !== undefined)
    addIssue(["delta_keys"], `${showValue(repeated)} occurs twice; expected each column once`);
  for (const [i, each] of value.activation_mappings.entries()) {
    const issue = target.safeParse(readConnectorSettings(value, each)).error?.issues[0];
    if (issue !== undefined) addIssue(...describeConnectorFault(issue, i, each, value));
  }
});

type Fault = readonly [path: (string | number)[], message: string];

// A connector is set up from its settings and a mapped field: says which of the two is wrong.
function describeConnectorFault(
  issue: z.core.$ZodIssue,
  at: number,
  { connector_field: field }: ActivationMapping,
  { result_connection_settings: { type } }: z.infer<typeof form>,
): Fault {
  const mapping = ["activation_mappings", at];
  const settings = ["result_connection_settings"];
  if (issue.code === "unrecognized_keys") {
    const isMapped = issue.keys.includes(field);
    const key = isMapped ? field : issue.keys.join(", ");
    return [
      isMapped ? [...mapping, "connector_field"] : settings,
      `found ${showValue(key)}; expected a field of the connector ${type}`,
    ];
  }
  const path = issue.path.map(String);
  return path[0] === field
    ? [[...mapping, "connector_field_value"], issue.message]
    : [[...settings, ...path], issue.message];
}

export type Activation = z.infer<typeof activation>;
export type ActivationMapping = Activation["activation_mappings"][number];

/** The configuration of the connector for the rows of one status: the settings with the mapped field set. */
export function readConnectorSettings(
  { result_connection_settings: given, result_connection_name: name }: z.infer<typeof form>,
  { connector_field: field, connector_field_value: value }: ActivationMapping,
): unknown {
  return { authentication: name, ...given, [field]: value };
}
