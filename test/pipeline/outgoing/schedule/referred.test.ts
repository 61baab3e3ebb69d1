import { expect, test } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { listConfiguredJobs } from "../../../../pipeline/outgoing/schedule/jobs.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { newHome } from "../../../support/home.ts";

const webhook = (url: string) => ({
  type: "webhook",
  url,
  authentication: "hook",
  secret: "__SAVED__",
});
const base = {
  sources: { prod: { base_url: "https://a.example", api_key_file: "key" } },
  queries: "queries",
  authentications: { hook: { file: "hook.json" }, other: { file: "other.json" } },
  targets: { hook: webhook("https://hook.example"), other: webhook("https://other.example") },
  activations: {
    people: {
      sql_file: "people.sql",
      id_key: "id",
      activation_mappings: [
        { delta_status: "new", connector_field: "file_name", connector_field_value: "x" },
      ],
      result_connection_name: "other",
      result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
    },
  },
  schedule: {
    jobs: {
      activates: { cron: "@daily", activate: "people" },
      ingests: { cron: "@daily", ingest: {} },
      reports: { cron: "@daily", report: { names: ["mine"], out: "mine.csv" } },
      sends: { cron: "@daily", export: { file: "sent.sql", to: "hook" } },
    },
  },
};

test("a job refers to something else if its target, source, key or statement changed", () => {
  using home = newHome();
  const files = ["key", "hook.json", "other.json", "people.sql", "sent.sql", "queries/mine.sql"];
  for (const name of files) home.write(name, "as it was");
  const hashReferred = (config: object): Record<string, string> => {
    const settings = { config: configSchema.parse(config), configFolder: home.folder };
    const jobs = listConfiguredJobs(settings as Settings);
    return Object.fromEntries(jobs.map(({ name, referred: digest = "" }) => [name, digest]));
  };
  let before = hashReferred(base);
  /** The jobs that refer to something else than before. */
  const listTouched = (config: object = base): string[] => {
    const now = hashReferred(config);
    const names = Object.keys(now).filter((name) => now[name] !== before[name]);
    before = now;
    return names;
  };
  expect(listTouched()).toEqual([]);
  const of = (name: string): string[] => {
    home.write(name, "fixed since");
    return listTouched();
  };
  const owners = ["ingests", "sends", "activates", "activates", "sends", "reports"];
  expect(files.map(of)).toEqual(owners.map((owner) => [owner]));
  // A note beside the statements is none of them.
  expect(of("queries/notes.txt")).toEqual([]);
  const targets = { ...base.targets, hook: webhook("https://new.example") };
  expect(listTouched({ ...base, targets })).toEqual(["sends"]);
  const sources = { prod: { ...base.sources.prod, base_url: "https://b.example" } };
  expect(listTouched({ ...base, targets, sources })).toEqual(["ingests"]);
  const activations = { people: { ...base.activations.people, delta_keys: ["name"] } };
  expect(listTouched({ ...base, targets, sources, activations })).toEqual(["activates"]);
});
