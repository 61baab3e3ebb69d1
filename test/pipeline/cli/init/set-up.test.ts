import { join } from "node:path";
import { expect, it } from "vitest";
import {
  buildContent,
  getNamedSource,
  buildSettings,
  type Setup,
} from "../../../../pipeline/cli/init.ts";
import { testWorld } from "../../../support/world.ts";

const answers = {
  name: "prod",
  baseUrl: "https://service.example",
  key: { api_key_env: "KEY" },
  authScheme: "SVC1",
  retention: undefined,
  window: "1d",
  cron: "15 2 * * *",
};
const setup = (change: object = {}, own: object = {}): Setup =>
  ({
    flags: {},
    global: { logLevel: "info", progress: "none" },
    path: "/elsewhere/auditlake.json",
    content: {},
    answers: { ...answers, ...change },
    ...own,
  }) as Setup;
const buildSource = (given: Setup): unknown =>
  (buildContent(given, undefined)["sources"] as Record<string, unknown>)["prod"];
const bare = { base_url: answers.baseUrl, api_key_env: "KEY" };

it.each([
  [{}, {}, bare],
  [
    { authScheme: "Bearer", retention: "7d", window: "12h" },
    {},
    { ...bare, auth_scheme: "Bearer", retention: "7d", window: "12h" },
  ],
  [{}, { flags: { confirm: true } }, { ...bare, confirm: true }],
  [
    { key: { api_key_file: "key" } },
    {},
    { base_url: answers.baseUrl, api_key_file: join(process.cwd(), "key") },
  ],
  [
    { key: { api_key_file: "key" } },
    { path: join(process.cwd(), "a.json") },
    { base_url: answers.baseUrl, api_key_file: "key" },
  ],
])(
  "the answers %j with %j are written without defaults, with paths relative to the file",
  (change, own, source) => {
    expect(buildSource(setup(change, own))).toEqual(source);
  },
);

it("the file has the job that reads the source, and the given home", () => {
  const below = buildContent(setup({}, { global: { home: "data/here" } }), undefined);
  // From any folder.
  expect(below["home"]).toBe(join(process.cwd(), "data/here"));
  const given = setup({}, { global: { home: "/there" } });
  expect(buildContent(given, undefined)).toMatchObject({
    home: "/there",
    schedule: {
      jobs: { ingest: { cron: answers.cron, timezone: "UTC", ingest: { source: "prod" } } },
    },
  });
});

it.each([
  [{ global: { home: "/a" }, content: { home: "/c" } }, { AUDITLAKE_HOME: "/b" }, "/a"],
  [{ content: { home: "/c" } }, { AUDITLAKE_HOME: "/b" }, "/b"],
  [{ content: { home: "/c" } }, {}, "/c"],
  [{}, {}, join(process.cwd(), "auditlake")],
])("%j and %j mean the home %s", (own, env, root) => {
  const given = setup({}, own);
  const settings = buildSettings(given, undefined, testWorld({ env }));
  expect([settings.home.root, settings.flags.source, settings.configFolder]).toEqual([
    root,
    "prod",
    "/elsewhere",
  ]);
  expect(getNamedSource(settings, given.answers)).toMatchObject({
    name: "prod",
    base_url: answers.baseUrl,
  });
});
