import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testKey } from "../../../support/key.ts";
import { checks, newScene } from "./scene.ts";

const scene = newScene();

describe("doctor on the service", () => {
  it("reports a refused key: exit code 4, without the key", async () => {
    const env = await scene.start();
    const outcome = await scene.auditlake(["doctor", "--no-reports"], {
      ...env,
      AUDITLAKE_API_KEY: "a-wrong-key-0815",
    });
    expect(outcome.code).toBe(4);
    expect(checks(outcome)["reachable"]).toMatch(/^fail .*401 to GET \/v4\/audits.*check the key/);
    expect(outcome.stdout + outcome.stderr).not.toContain("0815");
  });

  it("reports an unreachable service", async () => {
    const env = await scene.start();
    await scene.service().close();
    const outcome = await scene.auditlake(["doctor", "--no-reports"], env);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)["reachable"]).toMatch(/^fail .*the connection was refused/);
  });

  it("reports an unexpected answer", async () => {
    const env = await scene.start({
      fault: (_request, response) => {
        response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Sign in</html>");
        return true;
      },
    });
    const outcome = await scene.auditlake(["doctor", "--no-reports"], env);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)["reachable"]).toMatch(/^fail default: /);
  });

  it("reports a clock that is so different that no scheduled run would store anything", async () => {
    const env = await scene.start({ now: () => Date.now() - 400 * 86_400_000 });
    const outcome = await scene.auditlake(["doctor", "--no-reports"], env);
    expect(outcome.code).toBe(1);
    expect(checks(outcome)["clock"]).toMatch(
      /^fail .*clock is 400 d behind this one, so no scheduled run/,
    );
  });

  it("reports another clock, and a missing user list", async () => {
    const env = await scene.start({
      now: () => Date.now() + 3_600_000,
      fault: (request, response) => {
        if (!request.url!.startsWith("/v3/")) return false;
        response.writeHead(404).end();
        return true;
      },
    });
    const outcome = await scene.auditlake(["doctor", "--no-reports"], env);
    expect(outcome.code).toBe(0);
    expect(checks(outcome)).toMatchObject({
      clock: expect.stringMatching(/^warn .*clock is (1 h|59 min \d+ s) ahead of this one; set/),
      users: expect.stringMatching(/^warn .*404/),
    });
  });

  it("reports a user list with pages that are not requested", async () => {
    const env = await scene.start({
      users: [{ id: 1 }, { id: 2 }],
      usersPaging: "cursor",
      usersPageCap: 1,
    });
    expect(checks(await scene.auditlake(["doctor", "--no-reports"], env))["users"]).toMatch(
      /^warn default: 1 user listed, and next indicates .* set sources\.default\.users\.paging$/,
    );
  });

  it("reports a missing address or key in the configuration: exit code 2", async () => {
    const env = await scene.start();
    const noKey = await scene.auditlake(["doctor", "--no-reports"], {
      AUDITLAKE_BASE_URL: env["AUDITLAKE_BASE_URL"]!,
    });
    expect(noKey.code).toBe(2);
    expect(checks(noKey)["source"]).toMatch(/^fail default: no API key: .*AUDITLAKE_API_KEY/);
    const config = join(scene.home(), "..", "two.json");
    const [one, two] = [{ base_url: scene.service().url }, { api_key_env: "OTHER_KEY" }];
    writeFileSync(config, JSON.stringify({ sources: { one, two } }));
    const both = await scene.auditlake(["--config", config, "doctor", "--no-reports"], {
      AUDITLAKE_API_KEY: testKey,
    });
    expect(both.code).toBe(2);
    expect(checks(both)).toMatchObject({
      configuration: `ok ${config}`,
      source: expect.stringMatching(/^ok one: .* \/ fail two: source two has no address/),
      users: "ok one: 1 user listed",
    });
    const argv = ["--config", config, "--source", "one", "doctor", "--no-reports"];
    expect((await scene.auditlake(argv, { AUDITLAKE_API_KEY: testKey })).code).toBe(0);
    const bad = await scene.auditlake(["doctor", "--no-reports"], {
      ...env,
      AUDITLAKE_BASE_URL: "localhost",
    });
    expect(bad.code).toBe(2);
    expect(checks(bad)["source"]).toMatch(/base_url is not a web address; expected https/);
  });
});
