import { z } from "zod";
import { describeRule, showValue } from "./connectors/describe-rule.ts";

// What of a result is exported, and under which names (seed 002, D).

const columnName = z
  .string(describeRule("the name of a column"))
  .min(1, describeRule("the name of a column"));

const attribute = z.union(
  [columnName, z.strictObject({ column: columnName, as: columnName.optional() })],
  describeRule('a column, or {"column": …, "as": …}'),
);

const builtValues = ["timestamp", "segment_id", "segment_name", "audience_id"] as const;

const built = z.union(
  [
    z.strictObject({ as: columnName, value: z.literal("string"), text: z.string() }),
    z.strictObject({ as: columnName, value: z.enum(builtValues) }),
  ],
  describeRule(
    `{"as": …, "value": "string", "text": …}, or {"as": …, "value": …} with ${builtValues.join(", ")}`,
  ),
);

const segment = z.strictObject({
  id: z.string().optional().describe("Segment Id; default: the name of the report or activation"),
  name: z.string().optional().describe("Segment Name; default: the title of the report"),
  audience_id: z.string().optional().describe("Audience Id, the number of the parent segment"),
});

/** Which columns go out under which names, and what is added to each row. */
export const outputs = z
  .strictObject({
    columns: z
      .union(
        [z.literal("all"), z.array(attribute).min(1)],
        describeRule('"all" or a list of columns'),
      )
      .default("all")
      .describe("all columns, or a selection, with optional new names"),
    string_builder: z
      .array(built)
      .default([])
      .describe(
        "columns with the same value in each row: a text, the time of the export, the segment",
      ),
    segment: segment.prefault({}).describe("values of the segment columns of string_builder"),
  })
  .superRefine((value, context) => {
    const { string_builder: strings, segment: given } = value;
    const chosen = value.columns === "all" ? [] : value.columns.map(outputName);
    const names = [...chosen, ...strings.map(({ as }) => as)];
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined)
      context.addIssue({
        code: "custom",
        message: `the output name ${showValue(twice)} is given twice; expected each once`,
      });
    if (given.audience_id === undefined && strings.some((item) => item.value === "audience_id"))
      context.addIssue({
        code: "custom",
        path: ["segment", "audience_id"],
        message:
          "found nothing; expected the number of the parent segment, because string_builder uses audience_id",
      });
  });

export type Outputs = z.infer<typeof outputs>;
export type AttributeColumn = Exclude<Outputs["columns"], "all">[number];
export type BuiltColumn = Outputs["string_builder"][number];

/** The name that a chosen column goes out under: its own unless another is given. */
export function outputName(chosen: AttributeColumn): string {
  return typeof chosen === "string" ? chosen : (chosen.as ?? chosen.column);
}
