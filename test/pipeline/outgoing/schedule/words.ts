import fc from "fast-check";
import { listJobs } from "../../../../pipeline/outgoing/schedule/job.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";

/** Characters that a shell, a crontab or a unit reads as something else. */
const nasty = [..." %$'\"`;&|<>(){}[]*?!~#@:+-=,.^aZ0é日"];

/** Paths with anything in them that one line can hold. */
export const nastyPath = fc
  .array(fc.constantFrom(...nasty), { minLength: 1, maxLength: 12 })
  .map((characters) => `/${characters.join("")}`);

/** Jobs at two times in two zones, and one that is run by hand. */
export const jobs = listJobs(
  scheduleSchema.parse({
    timezone: "Europe/Oslo",
    jobs: {
      nightly: { cron: "15 2 * * *", ingest: {} },
      weekly: { cron: "0 0 1 * 1", timezone: "UTC", report: { names: "all", out: "reports" } },
      byhand: { cron: "", activate: "x" },
    },
  }),
);
