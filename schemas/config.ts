import { z } from "zod";
import { activation } from "./activation.ts";
import { authentication } from "./authentications.ts";
import { showValue } from "./connectors/describe-rule.ts";
import { target } from "./connectors.ts";
import { duration } from "./duration.ts";
import { detectionSettings, findingSettings } from "./detections.ts";
import { engines } from "./engines.ts";
import { evidence } from "./evidence.ts";
import { faultSigns } from "./fault-signs.ts";
import { integrations } from "./integrations.ts";
import { lake } from "./lake.ts";
import { machine } from "./machine.ts";
import { name } from "./name.ts";
import { zone } from "./zone.ts";
import { reviews } from "./reviews.ts";
import { scheduleSchema } from "./schedule.ts";
import { policyId } from "./policies.ts";

// A configuration is read once: to compile the checks takes longer than to make them.
z.config({ jitless: true });

// The configuration file `auditlake.json`: unknown in, checked and with its defaults out. Seed 001 shows no parameters or
// response of `GET /v4/audits`, so all of them are configuration with the defaults given here.

const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ""));

const pagingStyle = z.enum(["page", "offset", "cursor", "next_url", "link_header", "none"]);

const paging = z.strictObject({
  style: pagingStyle.default("page"),
  param: z.string().default("page").describe("name of the page, offset or cursor parameter"),
  size_param: z.string().nullable().default("per_page"),
  size: z.int().min(1).max(100_000).default(1000),
  first: z.int().min(0).default(1).describe("number of the first page"),
  next_at: z
    .string()
    .nullable()
    .default("next_page")
    .describe("dotted path of the cursor or URL in the body"),
  whole: z
    .boolean()
    .default(false)
    .describe("each response is known to be complete: replaces missing evidence of the service"),
});

const windowParams = z.strictObject({
  from: z.string().default("from"),
  to: z.string().default("to"),
  form: z.enum(["epoch_seconds", "iso8601"]).default("epoch_seconds"),
});

// A status for a refused key or a requested retry cannot mean an empty range.
const emptyStatus = z
  .int()
  .min(400)
  .max(499)
  .refine(
    (status) => ![401, 403, 408, 425, 429].includes(status),
    "expected a status from 400 to 499 other than 401, 403, 408, 425 and 429",
  );

const audits = z.strictObject({
  path: z.string().startsWith("/").default("/v4/audits"),
  window_params: windowParams.nullable().prefault({}),
  paging: paging.prefault({}),
  records_at: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "dotted path of the record array, where a null in the body means no records; null: detected",
    ),
  total_at: z
    .string()
    .nullable()
    .default(null)
    .describe(
      "dotted path of the number of all records; null: total, total_count, total_records or total_results",
    ),
  empty_status: z
    .array(emptyStatus)
    .default([])
    .describe("statuses that mean a range without events, beside 204: [404] for instance"),
  id_at: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("dotted path of the record id, if it is not id; run rebuild after a change"),
  ignore_signs: z
    .array(z.enum(faultSigns))
    .default([])
    .describe("fault signs to ignore in responses of this service"),
});

const users = z.strictObject({
  path: z.string().startsWith("/").optional().describe("default: /v3/user/list/"),
  // Only pages show the end of a user list, so `whole` would have no meaning.
  paging: paging
    .omit({ whole: true })
    .extend({ style: pagingStyle.default("none") })
    .prefault({}),
  records_at: z
    .string()
    .nullable()
    .default(null)
    .describe("dotted path of the array of users; null: users, or the body itself"),
  ignore_signs: z
    .array(z.enum(faultSigns))
    .default([])
    .describe("fault signs to ignore in user lists of this service"),
});

const limits = z.strictObject({
  timeout: duration.default(60_000).describe("time limit of one request, body included"),
  max_page_bytes: z
    .int()
    .min(1024)
    .default(64 * 1024 * 1024),
  max_record_bytes: z
    .int()
    .min(1024)
    .default(16 * 1024 * 1024),
  max_attempts: z.int().min(1).max(20).default(6),
  max_pages: z.int().min(1).default(100_000).describe("maximum of one read, if it cannot be split"),
  // One read is one transaction, and what a killed run has to read again. 500 pages of 1,000 records are some 200 MB,
  // minutes to fetch and seconds to load. A day with more is read in parts, each committed on its own.
  read_pages: z
    .int()
    .min(1)
    .default(500)
    .describe("maximum of one read; a window with more is split in time"),
  read_bytes: z
    .int()
    .min(1024)
    .default(256 * 1024 * 1024)
    .describe("maximum of one read; a window with more is split in time"),
  concurrency: z.int().min(1).max(16).default(4).describe("windows read in parallel"),
});

const sourceFields = z.strictObject({
  base_url: httpUrl.optional(),
  api_key_env: z.string().default("AUDITLAKE_API_KEY"),
  api_key_file: z.string().optional(),
  auth_scheme: z
    .string()
    .regex(/^[!-~]+$/)
    .default("SVC1"),
  grace_period: duration
    .optional()
    .describe("time after its end during which a window counts as open; default: 1h"),
  settle: duration.optional().describe("previous name of grace_period, until the next version"),
  lookback: duration.default(2 * 86_400_000),
  window: duration
    .refine((ms) => ms >= 1000 && ms % 1000 === 0, "expected whole seconds, 1s or more")
    .default(86_400_000),
  confirm: z
    .boolean()
    .default(false)
    .describe("read each closed window again until two reads agree, as ingest --confirm does"),
  retention: duration.optional().describe("retention of the log in the service"),
  audits: audits.prefault({}),
  users: users.prefault({}),
  users_path: z
    .string()
    .startsWith("/")
    .optional()
    .describe("previous name of users.path, until the next version"),
  policies: z
    .array(z.union([policyId, z.int().min(0).transform(String)]))
    .min(1)
    .optional()
    .describe("policies that policy snapshot reads; default: all in the log"),
  api_user: z
    .union([z.string().min(1), z.int().min(0).transform(String)])
    .optional()
    .describe(
      "e-mail or id of the user of the API key: policy set warns before that user loses a right",
    ),
  limits: limits.prefault({}),
});

const defaultGraceMs = 3_600_000;
const defaultUsersPath = "/v3/user/list/";

const source = sourceFields
  .refine(({ grace_period, settle }) => grace_period === undefined || settle === undefined, {
    path: ["settle"],
    message:
      "is the previous name of grace_period, which is given, too; expected grace_period alone",
  })
  .refine(({ users: { path }, users_path }) => path === undefined || users_path === undefined, {
    path: ["users_path"],
    message: "is the previous name of users.path, which is given, too; expected users.path alone",
  })
  .transform(({ settle, users_path, ...fields }) => ({
    ...fields,
    grace_period: fields.grace_period ?? settle ?? defaultGraceMs,
    users: { ...fields.users, path: fields.users.path ?? users_path ?? defaultUsersPath },
  }));

const file = z.strictObject({
  $schema: z.string().optional(),
  home: z.string().optional(),
  sources: z.record(name, source).default({}),
  catalog: z
    .strictObject({
      extra: z.string().optional().describe("a file in the format of schemas/catalog/*.json"),
    })
    .prefault({}),
  queries: z.string().optional().describe("a folder of your own reports"),
  report_timeout: duration
    .refine((ms) => ms >= 1000, "expected 1s or more")
    .default(3_600_000)
    .describe("time limit of a report of that folder until its next rows"),
  timezone: zone.default("UTC").describe("time zone of hours and weekends in reports"),
  timezones: z
    .array(zone)
    .max(50)
    .default([])
    .describe("more zones that report run --timezone accepts"),
  query_texts: z
    .strictObject({
      time_limit: duration
        .optional()
        .describe(
          "time limit of a run for parsing query texts after its rows are published; default: a tenth of the run's time, at least 10s; 0s: never",
        ),
    })
    .prefault({}),
  authentications: z
    .record(name, authentication)
    .default({})
    .describe("stored credentials by name, for values that are __SAVED__"),
  targets: z.record(name, target).default({}).describe("destinations of results, by name"),
  activations: z.record(name, activation).default({}).describe("incremental activations by name"),
  integrations: integrations.prefault({}).describe("allowed values of api_endpoint of activations"),
  schedule: scheduleSchema.prefault({}),
  lake: lake.optional().describe("where lake publish stores the rows as Delta tables"),
  engines: engines.prefault({}).describe("engines that can run reports over the lake"),
  detections: detectionSettings,
  findings: findingSettings.prefault({}),
  evidence: evidence
    .prefault({})
    .describe("signing of the log over landed files, and the destinations of its heads"),
  policies: z
    .strictObject({
      require_reason: z
        .boolean()
        .default(false)
        .describe("if true, a permission set is sent only with --reason"),
    })
    .prefault({}),
  reviews,
  ...machine,
});

export const configSchema = file.superRefine(
  ({ targets, schedule: { notify }, findings }, context) => {
    const isHeard = (name: string): boolean => /^(webhook|email)$/.test(targets[name]?.type ?? "");
    const known = Object.keys(targets).filter(isHeard).join(", ") || "none";
    const named = {
      schedule: notify ?? [],
      findings: findings.notify.map(({ target }) => target),
    };
    for (const [part, names] of Object.entries(named)) {
      const wrong = names.find((each) => !isHeard(each));
      if (wrong !== undefined)
        context.addIssue({
          code: "custom",
          path: [part, "notify"],
          message: `found ${showValue(wrong)}; expected a webhook or email under targets: ${known}`,
        });
    }
  },
);

export type ConfigFile = z.infer<typeof configSchema>;
export type SourceConfig = z.infer<typeof source>;
export type Paging = SourceConfig["audits"]["paging"];
