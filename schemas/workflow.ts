import { z } from "zod";
import { activation } from "./activation.ts";
import { describeKeys, describeRule } from "./connectors/describe-rule.ts";
import { timezone } from "./schedule.ts";

// A workflow of the service that activates incrementally (seed 002, C): its parameters lie in `_export.params`.

const keys = ["timezone", "_export", "out"];

// Settings that an activation of the configuration may leave out, and a separate workflow may not (seed 002, C, rule
// 1).
const byHand = [
  "activation_actions_db",
  "activation_actions_table",
  "result_connection_settings",
  "result_connection_name",
];

const params = z
  .looseObject({}, describeRule("the parameters of the activation"))
  .superRefine((given, context) => {
    const addIssue = (key: string, message: string): void =>
      context.addIssue({ code: "custom", path: [key], message });
    for (const key of byHand)
      if (given[key] === undefined)
        addIssue(key, "found nothing; expected a value: a standalone workflow must set it");
    if (given["api_endpoint"] === undefined)
      addIssue("api_endpoint", "found nothing; expected the gateway URL of the account's site");
    for (const key of ["report", "params", "sql_file"])
      if (given[key] !== undefined)
        addIssue(key, "is not a parameter of a workflow; expected activation_actions_table");
  })
  .pipe(activation);

const exported = z.strictObject(
  { params },
  describeKeys("params, the parameters of the activation"),
);

/** The workflow file; tasks and the schedule of it are its service's own, and are taken off beforehand. */
export const workflow = z.strictObject(
  { timezone: timezone.optional(), _export: exported },
  describeKeys(`${keys.join(", ")}, tasks (+name) or schedule`),
);

/** Whether a key at the top of a workflow is the business of the service that runs it. */
export function isForeign(key: string): boolean {
  return key.startsWith("+") || key === "schedule";
}
