import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newSetting } from "../../cli/export/setting.ts";

// The records of a delivery are named after its target. An activation has one, too, and shares it with no other.

const activation = {
  activation_actions_table: "events",
  id_key: "event_key",
  activation_mappings: [
    { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
  ],
  result_connection_name: "none",
  result_connection_settings: { type: "file", folder: "activated" },
};

/** A home whose configuration has these targets and activations as well. */
async function runConfigured(targets: object, activations: object) {
  const { home, env } = await newSetting();
  const path = join(home.folder, "auditlake.json");
  const config = JSON.parse(readFileSync(path, "utf8")) as { targets: object };
  const more = { ...config, targets: { ...config.targets, ...targets }, activations };
  const file = home.write("more.json", JSON.stringify(more));
  const run = (...argv: string[]) => home.run(["--config", file, ...argv], { env });
  return { home, run };
}

const folder = { type: "file", folder: "exported" };
const shared = expect.stringContaining("and activation act store their records");
const refused = { code: 2, err: shared };

it("a target with the name of an activation's target is refused by both, before anything is lost", async () => {
  const { run } = await runConfigured({ "activation-act": folder }, { act: activation });
  for (const argv of [
    ["export", "--table", "events", "--to", "activation-act"],
    ["export", "--table", "events", "--to", "activation-act", "--dry-run"],
    ["activate", "act"],
    ["activate", "reset", "act", "--yes"],
  ])
    expect(await run(...argv)).toMatchObject(refused);
});

it("a target with the name of a previous activation's target that is in no configuration is refused", async () => {
  const { run, home } = await runConfigured({ "activation-act": folder }, {});
  home.write(join("home", "activations", "act.duckdb"), "");
  expect(await run("export", "--table", "events", "--to", "activation-act")).toMatchObject(refused);
});

it.each([
  [{ "activation-other": folder }, "activation-other"],
  [{ act: folder }, "act"],
])("any other name is free: %j", async (targets, to) => {
  const { run } = await runConfigured(targets, { act: activation });
  expect((await run("export", "--table", "events", "--to", to)).code).toBe(0);
  expect((await run("activate", "act")).code).toBe(0);
});
