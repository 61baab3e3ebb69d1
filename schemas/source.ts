import { z } from "zod";

/** The form of one hand-edited area file in `catalog/`; `catalog.extra` of the configuration has the same form. */
const operation = z.union([
  z.string(),
  z.strictObject({
    operation: z.string().describe("written out in full"),
    written: z.string().describe("the abbreviation found in the source: the path is deduced"),
  }),
]);

const alias = z.union([
  z.string(),
  z.strictObject({
    name: z.string(),
    only_with_path: z.boolean().describe("another event owns the name unless the path decides"),
  }),
]);

/** Kinds of events that record something denied or failed; every list of the kinds is made from here. */
export const denialKind = z.enum([
  "failed_sign_in",
  "denied_job_result_download",
  "failed_result_export",
  "unauthorized_action",
  "folder_permission_denial",
  "column_visibility_denial",
]);

const event = z.strictObject({
  event: z.string().min(1),
  variant: z.string().optional(),
  note: z.string().optional(),
  operations: z.array(operation).optional(),
  trigger: z.string().optional().describe("what causes the event when it is no HTTP call"),
  operation_not_shown: z.literal(true).optional(),
  columns: z.array(z.string()).optional(),
  optional_columns: z.array(z.string()).optional(),
  aliases: z.array(alias).optional(),
  denial_kind: denialKind.optional(),
});

export const areaSource = z.strictObject({
  $schema: z.string().optional(),
  area: z.string().min(1),
  generation: z.enum(["legacy", "current"]).optional(),
  columns: z.array(z.string()).optional().describe("for events that name none"),
  recorded: z.array(z.string()).optional().describe("every column a denial record carries"),
  denial_kind: denialKind.optional().describe("for events that name none"),
  denied_result: z
    .strictObject({
      event_result: z.string(),
      denial_kind: denialKind,
      areas: z.array(z.string()),
    })
    .optional()
    .describe("the result that turns an event of these areas into a denial"),
  events: z.array(event),
});

export const fieldsSource = z.strictObject({
  fields: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(["text", "integer", "number", "boolean", "time"]),
      meaning: z.string(),
    }),
  ),
  sets: z.record(z.string(), z.array(z.string())),
});

export type AreaSource = z.infer<typeof areaSource>;
export type EventSource = AreaSource["events"][number];
export type FieldsSource = z.infer<typeof fieldsSource>;
export type DenialKind = z.infer<typeof denialKind>;
