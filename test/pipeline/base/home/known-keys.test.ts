import { describe, expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { adviseOnKey } from "../../../../pipeline/base/home/read-config.ts";

// What the check of a configuration says of it, with the advice.
function advice(config: unknown): string {
  const issue = configSchema.safeParse(config).error?.issues[0];
  if (issue?.code !== "unrecognized_keys") throw new Error(`no unknown key: ${issue?.message}`);
  return adviseOnKey(config, issue.path, issue.keys);
}

const mapping = {
  delta_status: "new",
  connector_field: "subject",
  connector_field_value: "New",
  delta: 1,
};
const source = (fields: object): object => ({ sources: { prod: fields } });

describe("an unknown key of the configuration", () => {
  it.each([
    ["misspelt", { sorces: {} }, "; did you mean sources?"],
    ["in other joints", { "time-zone": "UTC" }, "; did you mean timezone?"],
    ["known by a part", source({ apikey: "k" }), "; did you mean api_key_env?"],
    ["one level too high", { lookback: "1d" }, "; did you mean sources.NAME.lookback?"],
    ["of the schedule", { jobs: {} }, "; did you mean schedule.jobs?"],
    [
      "one level too high below",
      source({ paging: {} }),
      "; did you mean sources.NAME.audits.paging?",
    ],
    [
      "of the first level, too deep",
      source({ activations: {} }),
      expect.stringMatching(/^; expected one of base_url, /),
    ],
    ["known at several places", source({ timeout: 1 }), "; did you mean engines.trino.timeout?"],
    [
      "known of one form of several",
      { from_workflow: "w.yml" },
      "; did you mean schedule.jobs.NAME.activate.from_workflow?",
    ],
    ["deep down", source({ audits: { pagng: {} } }), "; did you mean paging?"],
    [
      "like none",
      source({ audits: { foobarbaz: 1 } }),
      "; expected one of path, window_params, paging, records_at, total_at, empty_status, id_at, ignore_signs",
    ],
    [
      "like none, beside one",
      { schedule: { jobs: { a: { cron: "none", policy_snapshot: { foobarbaz: 1 } } } } },
      "; expected one of source",
    ],
    [
      "in one of a list",
      {
        activations: {
          a: {
            activation_mappings: [mapping],
            result_connection_name: "r",
            result_connection_settings: {},
            id_key: "id",
            report: "r",
          },
        },
      },
      "; did you mean delta_status?",
    ],
    [
      "of a target, by its type",
      { targets: { out: { type: "file", folder: "out", zzzz: 1 } } },
      expect.stringMatching(/^; expected one of type, (?!.*\burl\b).*\bfolder\b/),
    ],
    ["beside another", { sorces: {}, querys: "." }, "; did you mean sources and queries?"],
  ])("%s", (_what, config, expected) => {
    expect(advice(config)).toEqual(expected);
  });

  it("is reported as unknown only where no other rule applies", () => {
    expect(adviseOnKey({}, ["nowhere"], ["foobarbaz"])).toBe("");
  });

  it("is reported with the nearest existing key, for each omitted letter", () => {
    const known = Object.keys(configSchema.shape);
    for (const key of known.filter((name) => name.length > 4 && name !== "$schema")) {
      const short = key.slice(0, -1);
      if (known.includes(short)) continue;
      expect([key, advice({ [short]: 1 })]).toEqual([key, `; did you mean ${key}?`]);
    }
  });
});
