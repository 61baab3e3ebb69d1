import { z } from "zod";
import { describeRule } from "./connectors/describe-rule.ts";
import { CronError, parseCron } from "./cron.ts";
import { name } from "./name.ts";
import { isZone } from "./zone.ts";

const withoutFields = new Set(["", "none", "@daily", "@hourly"]);

// Seed 002, Scheduled result export, rule 1: five fields, @daily, @hourly, or nothing.
const cron = z.string().superRefine((text, context) => {
  if (withoutFields.has(text.trim().toLowerCase())) return;
  try {
    parseCron(text);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
});

const zone = describeRule("a time zone such as UTC or Europe/Oslo");
export const timezone = z.string(zone).refine(isZone, zone).describe("an IANA time zone");

const params = z
  .record(z.string(), z.string())
  .optional()
  .describe("parameters of the report, by name");

const agreed = z.boolean().default(false);

const work = {
  ingest: z
    .strictObject({
      source: name.optional(),
      confirm: z.boolean().default(false),
      lake: z.boolean().optional().describe("then publish to the lake"),
    })
    .describe("the scheduled run"),
  report: z
    .strictObject({
      names: z.union([z.literal("all"), z.array(name).min(1)]),
      out: z.string().describe("folder, or a file for a single report"),
      format: z.string().optional(),
      since: z.string().optional(),
      until: z.string().optional(),
      params,
      source: name.optional().describe("only the rows of this source"),
      dated: z.boolean().optional().describe("into a subfolder of out with the date"),
      meta: z.boolean().optional().describe("also write a description beside each file"),
      fail_on_rows: z
        .boolean()
        .default(false)
        .describe("exit code 3 and a notification if a report has rows"),
    })
    .describe("reports written to files"),
  export: z
    .strictObject({
      report: name.optional(),
      table: z.string().min(1).optional().describe("instead of a report: a table or view"),
      file: z
        .string()
        .min(1)
        .optional()
        .describe("instead of a report: a file with one SELECT, run in a sandbox"),
      to: name,
      since: z.string().optional(),
      until: z.string().optional(),
      params,
      source: name.optional().describe("only the rows of this source"),
      yes: z.boolean().default(false).describe("confirm actions that cannot be undone"),
    })
    .refine(
      ({ report, table, file }) =>
        [report, table, file].filter((each) => each !== undefined).length === 1,
      { message: "expected exactly one of report, table and file" },
    )
    .describe("a report, table or statement delivered to a target"),
  activate: z
    .union([
      name,
      z
        .strictObject({
          name: name
            .optional()
            .describe("name in activations, or a name for the activation of a workflow"),
          from_workflow: z.string().min(1).optional().describe("a workflow file (YAML)"),
          params,
          yes: agreed.describe("confirm actions that cannot be undone, and large changes"),
          allow_empty: agreed.describe("confirm that a source without rows is correct"),
          retry_refused: agreed.describe("retry refused rows"),
          resend_uncertain: agreed.describe("resend rows that may have arrived"),
          accept_refused: agreed.describe("give up undelivered rows, and deliver nothing"),
        })
        .refine((given) => given.name !== undefined || given.from_workflow !== undefined, {
          message: "expected name, from_workflow, or both",
        }),
    ])
    .describe("an incremental activation: its name, or an object with options"),
  page: z
    .strictObject({
      out: z.string().describe("folder"),
      since: z.string().optional(),
      name: z.string().optional().describe("name of a page file; default: daily"),
      mail: name.optional().describe("e-mail target that receives the page"),
    })
    .describe("the daily report, or a page of your own"),
  policy_snapshot: z
    .strictObject({ source: name.optional() })
    .describe("snapshot of the permissions of each policy"),
  lake: z.strictObject({ full: z.boolean().default(false) }).describe("publication to the lake"),
};

type Work = keyof typeof work;
const kinds = Object.keys(work) as Work[];

const job = z
  .strictObject({
    cron: cron.describe("five fields, @daily, @hourly, or none"),
    timezone: timezone.optional(),
    ingest: work.ingest.optional(),
    report: work.report.optional(),
    export: work.export.optional(),
    activate: work.activate.optional(),
    page: work.page.optional(),
    policy_snapshot: work.policy_snapshot.optional(),
    lake: work.lake.optional(),
    tell_rows: z
      .int()
      .min(0)
      .max(50)
      .optional()
      .describe("maximum number of rows in a notification: rows that were found, or not delivered"),
    retry_refused: z.boolean().optional().describe("activate: retry refused rows in each run"),
  })
  .superRefine((value, context) => {
    if (value.retry_refused !== undefined && value.activate === undefined)
      context.addIssue({
        code: "custom",
        path: ["retry_refused"],
        message: "belongs to a job with activate",
      });
    const given = kinds.filter((kind) => value[kind] !== undefined);
    if (given.length === 1) return;
    const found = given.length === 0 ? "none" : given.join(" and ");
    context.addIssue({
      code: "custom",
      message: `found ${found}; expected exactly one of ${kinds.join(", ")}`,
    });
  });

export const scheduleSchema = z.strictObject({
  timezone: timezone.default("UTC"),
  disable_after: z
    .int()
    .min(1)
    .default(5)
    .describe("consecutive configuration failures after which a job is disabled"),
  parallel: z
    .int()
    .min(1)
    .max(64)
    .default(3)
    .describe("maximum number of jobs at a time; an ingest does not count and does not wait"),
  notify: z
    .union([name.transform((one) => [one]), z.array(name).min(1)])
    .optional()
    .describe(
      "webhook and email targets that are notified of failed, stopped, disabled, missed and recovered jobs, and of refused rows",
    ),
  jobs: z.record(name, job).default({}),
});

export type ScheduleConfig = z.infer<typeof scheduleSchema>;
export type JobConfig = ScheduleConfig["jobs"][string];
