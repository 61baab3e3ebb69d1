import { expect, it } from "vitest";
import { failureLine } from "../support/failure.ts";
import { newHome } from "../support/home.ts";

const sources = {
  a: { base_url: "http://127.0.0.1:7001" },
  b: { base_url: "http://127.0.0.1:7002" },
};

it("an address from the environment does not stand for that of one source among several", async () => {
  using home = newHome();
  const config = home.write("c.json", JSON.stringify({ sources }));
  const env = { AUDITLAKE_BASE_URL: "http://127.0.0.1:7001", AUDITLAKE_API_KEY: "k" };
  const outcome = await home.run(["--config", config, "--source", "b", "ingest"], { env });
  expect(failureLine(outcome, 2, [])).toContain("unset it, sources.b.base_url has the address");
});
