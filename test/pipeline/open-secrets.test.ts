import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { failureLine } from "../support/failure.ts";
import { newHome } from "../support/home.ts";

const secret = "SECRET-of-the-hook";
const hook = (value: string) => ({ type: "webhook", url: "https://soc.example", secret: value });

async function list(value: string, mode: number) {
  using home = newHome();
  const authentications = { stored: { env: "STORED" } };
  const targets = { hook: { ...hook(value), authentication: "stored" } };
  const file = home.write("auditlake.json", JSON.stringify({ targets, authentications }));
  chmodSync(file, mode);
  return await home.run(["--config", file, "export", "targets"]);
}

test.each([0o644, 0o640, 0o604, 0o620])(
  "a configuration with a secret is refused with mode %o",
  async (mode) => {
    const line = failureLine(await list(secret, mode), 2, [secret]);
    expect(line).toMatch(
      /configuration .*auditlake.json contains a secret \(targets.hook.secret\) and/,
    );
    expect(line).toMatch(
      /expected 600: others may read it; run chmod 600 on it, or write __SAVED__/,
    );
  },
);

test("a configuration with a secret needs the mode of its owner alone, and one without may be readable by all", async () => {
  expect((await list(secret, 0o600)).code).toBe(0);
  expect((await list("__SAVED__", 0o644)).code).toBe(0);
});

test.each([0o644, 0o600])("a workflow file with a secret needs its mode: %o", async (mode) => {
  using home = newHome();
  const file = home.write(
    "people.yml",
    `_export:
  params:
    api_endpoint: https://gateway.us01.example
    id_key: user_id
    activation_mappings: [{delta_status: new, connector_field: url, connector_field_value: "https://a.example"}]
    activation_actions_db: main
    activation_actions_table: users
    result_connection_name: none
    result_connection_settings: {type: webhook, url: "https://soc.example", secret: ${secret}}
`,
  );
  chmodSync(file, mode);
  const outcome = await home.run(["activate", "--from-workflow", file]);
  expect(outcome.err).not.toContain(secret);
  expect(outcome.err.includes("contains a secret (_export.params.result")).toBe(mode === 0o644);
});
