import { expect, it } from "vitest";
import { configSchema } from "../../../schemas/config.ts";
import { failureLine } from "../../support/failure.ts";
import { newHome } from "../../support/home.ts";

const sources = {
  a: { base_url: "http://127.0.0.1:7001" },
  b: { base_url: "http://127.0.0.1:7002" },
};

it("the former name of a key stands for the present one, and not beside it", () => {
  const parsed = (source: object) => configSchema.safeParse({ sources: { a: source } });
  expect(parsed({}).data?.sources["a"]?.users.path).toBe("/v3/user/list/");
  expect(parsed({ users_path: "/people" }).data?.sources["a"]?.users.path).toBe("/people");
  expect(parsed({ users: { path: "/people" } }).data?.sources["a"]?.users.path).toBe("/people");
  const both = parsed({ users_path: "/people", users: { path: "/people" } });
  expect(both.error?.issues).toMatchObject([
    { path: ["sources", "a", "users_path"], message: expect.stringContaining("users.path alone") },
  ]);
});

it("an address from the environment does not stand for that of one source among several", async () => {
  using home = newHome();
  const config = home.write("c.json", JSON.stringify({ sources }));
  const env = { AUDITLAKE_BASE_URL: "http://127.0.0.1:7001", AUDITLAKE_API_KEY: "k" };
  const outcome = await home.run(["--config", config, "--source", "b", "ingest"], { env });
  expect(failureLine(outcome, 2, [])).toContain("unset it, sources.b.base_url has the address");
});
