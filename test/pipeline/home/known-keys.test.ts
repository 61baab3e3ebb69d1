import { describe, expect, it } from "vitest";
import { configSchema } from "../../../schemas/config.ts";
import { keyAdvice } from "../../../pipeline/home/known-keys.ts";

// What the check of a configuration says of it, with the advice.
function advice(config: unknown): string {
  const issue = configSchema.safeParse(config).error?.issues[0];
  if (issue?.code !== "unrecognized_keys") throw new Error(`no unknown key: ${issue?.message}`);
  return keyAdvice(config, issue.path, issue.keys);
}

const source = (fields: object): object => ({ sources: { prod: fields } });

describe("a key that the configuration does not know", () => {
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
    ["deep down", source({ audits: { pagng: {} } }), "; did you mean paging?"],
    [
      "like none",
      source({ audits: { foobarbaz: 1 } }),
      "; expected one of path, window_params, paging, records_at, total_at, ignore_signs",
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

  it("leads to a key that is there, wherever one is left out by a letter", () => {
    const known = Object.keys(configSchema.shape);
    for (const key of known.filter((name) => name.length > 4 && name !== "$schema")) {
      const short = key.slice(0, -1);
      if (known.includes(short)) continue;
      expect([key, advice({ [short]: 1 })]).toEqual([key, `; did you mean ${key}?`]);
    }
  });
});
