import { expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { listConfiguredJobs } from "../../../../pipeline/outgoing/schedule/jobs.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";

const listJobs = (schedule: object): string[] => {
  const config = configSchema.parse(schedule);
  const settings = { config, configFile: "/a/auditlake.json", configFolder: "/a" };
  return listConfiguredJobs(settings as Settings).map(({ name }) => name);
};

it("the jobs of the configuration are listed, or a hint how to add one", () => {
  const nightly = { cron: "15 2 * * *", ingest: {} };
  expect(listJobs({ schedule: { jobs: { nightly } } })).toEqual(["nightly"]);
  for (const none of [{}, { schedule: { jobs: {} } }])
    expect(() => listJobs(none)).toThrow(
      /^no jobs: \/a\/auditlake.json has nothing under schedule.jobs; add one/,
    );
});
