import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";

type Line = { readonly key: string; readonly value: string; readonly comes_from: string };
let home: TestHome;
let file: string;
const hidden = ["CANARY-client", "CANARY-hook", "CANARY-key", "CANARY-pass", "CANARY-query"];

beforeAll(() => {
  home = newHome();
  file = home.write(
    "auditlake.json",
    JSON.stringify({
      home: "/elsewhere",
      sources: { prod: { base_url: "https://me:CANARY-pass@service.example", lookback: "3d" } },
      targets: {
        hook: { type: "webhook", url: "https://soc.example/", secret: "CANARY-hook" },
        kept: {
          type: "webhook",
          url: "https://soc.example/",
          secret: "__SAVED__",
          authentication: "a",
        },
      },
      authentications: { a: { env: "HOOK" } },
    }),
  );
});
afterAll(() => home[Symbol.dispose]());

const env = {
  AUDITLAKE_API_KEY: "CANARY-key",
  AUDITLAKE_BASE_URL: "https://u:CANARY-client@x.example/?k=CANARY-query&v=2",
};

test("every value is shown with its origin, and no secret is shown", async () => {
  const argv = ["--home", home.home, "--config", file, "config", "show", "--format", "json"];
  const { code, out, err } = await home.run(argv, { env });
  expect(code, err).toBe(0);
  for (const secret of hidden) expect(out + err).not.toContain(secret);
  const lines = new Map((JSON.parse(out) as Line[]).map((line) => [line.key, line]));
  const of = (key: string) => [lines.get(key)?.value, lines.get(key)?.comes_from];
  expect(of("home")).toEqual([home.home, "flag --home"]);
  expect(of("sources.prod.lookback")).toEqual(["3d", file]);
  expect(of("sources.prod.grace_period")).toEqual(["1h", "default"]);
  expect(of("sources.prod.base_url")).toEqual(["https://…@service.example", file]);
  expect(of("targets.hook.secret")).toEqual(["set, not shown", file]);
  expect(of("targets.kept.secret")).toEqual(["__SAVED__", file]);
  expect(of("AUDITLAKE_API_KEY")).toEqual(["set, not shown", "environment"]);
  expect(of("AUDITLAKE_BASE_URL")).toEqual(["https://…@x.example/?k=…&v=…", "environment"]);
});

test("an object without members sets none of its values", async () => {
  const config = home.write("empty.json", '{"sources":{"prod":{}},"schedule":{"jobs":{}}}');
  const { out } = await home.run(["--config", config, "config", "show", "--format", "csv"]);
  expect(out).toMatch(/^sources\.prod\.window,1d,default\r$/m);
  expect(out).toMatch(/^schedule\.jobs,"?\{\}"?,"?[^,]*empty\.json"?\r$/m);
});

test("without a file all values are defaults, and shown as such", async () => {
  const argv = ["--home", home.home, "config", "show", "--format", "csv"];
  const { code, out, err } = await home.run(argv, { env: { AUDITLAKE_HOME: "/x" } });
  expect(code).toBe(0);
  expect(err).toContain("no configuration file: auditlake --home ");
  expect(out).toMatch(/^home,"[^"]*","flag --home"\r$/m);
  expect(out).toMatch(/^schedule.timezone,UTC,default\r$/m);
});
