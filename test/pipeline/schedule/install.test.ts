import { expect, test } from "vitest";
import { calendarOf, crontabOf, systemdOf } from "../../../pipeline/schedule/install.ts";
import { jobsOf } from "../../../pipeline/schedule/job.ts";
import { scheduleSchema } from "../../../schemas/schedule.ts";

const call = { words: ["/opt/node", "/srv/it's/auditlake"], folder: "/srv/audit" };
const jobs = jobsOf(
  scheduleSchema.parse({
    timezone: "Europe/Oslo",
    jobs: {
      nightly: { cron: "15 2 * * *", ingest: {} },
      weekly: { cron: "0 0 1 * 1", timezone: "UTC", report: { names: "all", out: "50% $HOME" } },
      byhand: { cron: "", activate: "x" },
    },
  }),
);

test("a crontab: a zone for each block, quoted words, percent signs kept, no job without a time", () => {
  expect(crontabOf(jobs, call).split("\n").slice(1)).toEqual([
    "CRON_TZ=Europe/Oslo",
    "# nightly",
    String.raw`15 2 * * *  cd /srv/audit && /opt/node '/srv/it'\''s/auditlake' ingest --quiet`,
    "CRON_TZ=UTC",
    "# weekly",
    String.raw`0 0 * * 1  cd /srv/audit && /opt/node '/srv/it'\''s/auditlake' report run --all --out '50\% $HOME' --quiet`,
    "",
  ]);
});

test("systemd units: a service and a timer for each job that has a time", () => {
  const text = systemdOf(jobs, call);
  expect(text.match(/^# .*$/gm)).toEqual([
    "# /etc/systemd/system/auditlake-nightly.service",
    "# /etc/systemd/system/auditlake-nightly.timer",
    "# /etc/systemd/system/auditlake-weekly.service",
    "# /etc/systemd/system/auditlake-weekly.timer",
  ]);
  expect(text).toContain(`ExecStart=/opt/node "/srv/it's/auditlake" ingest --quiet`);
  expect(text).toContain(`--out "50%% $$HOME" --quiet`);
  expect(text).toContain("OnCalendar=*-*-* 02:15:00 Europe/Oslo");
  expect(text).toContain("OnCalendar=Mon *-*-* 00:00:00 UTC");
});

test.each([
  ["*/20 9-11 * jan,jul mon-wed", "Mon,Tue,Wed *-01,07-* 09,10,11:00,20,40:00 UTC"],
  ["* * 1 * *", "*-*-01 *:*:00 UTC"],
])("%s for systemd", (pattern, calendar) => {
  expect(calendarOf(pattern, "UTC")).toBe(calendar);
});
