import { afterAll, beforeAll, expect, it } from "vitest";
import { getJobFacts } from "../../../../pipeline/outgoing/schedule/runner.ts";
import { listSecrets } from "../../../../pipeline/outgoing/schedule/notice.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { settingsIn } from "./settings.ts";

let home: TestHome;
beforeAll(() => {
  home = newHome();
});
afterAll(() => home[Symbol.dispose]());

it.each([
  [["ingest"], [], "default", "status"],
  [["ingest"], ["a"], "a", "status"],
  [["ingest"], ["a", "b"], null, "status"],
  [["ingest", "--source", "b"], ["a", "b"], "b", "status"],
  [["report", "run", "--source", "b"], ["a", "b"], null, "schedule list"],
])(
  "a job %j with the sources %j prints which one it reads, and what shows more",
  (argv, names, source, verb) => {
    const sources = Object.fromEntries(names.map((name) => [name, {}]));
    const facts = getJobFacts({ argv }, settingsIn(home, { sources }));
    expect(facts.source).toBe(source);
    expect(facts.more).toMatch(
      new RegExp(`--config ${home.folder}/auditlake.json --home ${home.home} ${verb}$`),
    );
  },
);

it("no secret of the configuration is ever shown, whichever of them is unreadable", () => {
  home.write("key", "CANARY-file\n");
  const saved = { type: "webhook", url: "https://a.example/CANARY-path", secret: "__SAVED__" };
  const config = {
    sources: {
      a: { api_key_file: "key" },
      b: { api_key_env: "B" },
      c: { api_key_file: "nowhere" },
    },
    authentications: { there: { env: "THERE" }, gone: { env: "GONE" } },
    targets: {
      gone: { ...saved, url: "https://a.example/CANARY-own", authentication: "gone" },
      there: { ...saved, authentication: "there" },
      open: { type: "webhook", url: "https://a.example", secret: "CANARY-open" },
    },
  };
  const env = {
    B: "CANARY-b",
    THERE: '{"secret":"CANARY-there"}',
    AUDITLAKE_API_KEY: "CANARY-key",
  };
  const found = listSecrets(settingsIn(home, config), testWorld({ env }));
  const all = ["file", "b", "own", "path", "there", "open", "key"].map((name) => `CANARY-${name}`);
  expect(all.filter((one) => !found.some((secret) => secret.endsWith(one)))).toEqual([]);
});
