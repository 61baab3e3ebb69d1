import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { putWarehouse } from "../support/empty-warehouse.ts";
import { goldenRuns } from "../support/golden.ts";
import { temporaryFolder } from "../support/load.ts";
import { readingTexts, run } from "../support/command.ts";
import { reports } from "./run.ts";

// Every built-in report over the committed records, byte for byte; see fixtures/golden/README.md.
const golden = fileURLToPath(new URL("../../fixtures/golden/", import.meta.url));
const names = reports.map(({ name }) => name);
const isUpdate = process.env["UPDATE_GOLDEN"] === "1";

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("a report in a time zone other than UTC", () => {
  const [home, out] = [join(folder.path, "home"), join(folder.path, "reports")];
  const zone = process.env["TZ"];

  beforeAll(async () => {
    process.env["TZ"] = "America/St_Johns";
    const [records, users] = [join(golden, "records.ndjson"), join(golden, "users.json")];
    const importing = ["--home", home, "import", records, "--users", users];
    const running = goldenRuns.map((argv) => ["--home", home, "report", "run", ...argv]);
    await putWarehouse(home);
    for (const argv of [importing, ...running.map((one) => [...one, "--out", out])])
      expect(await run(argv, { env: readingTexts })).toMatchObject({ code: 0 });
    if (isUpdate) for (const file of csvFiles(golden)) rmSync(join(golden, file));
  });
  afterAll(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  test.each(names)("%s", (name) => {
    const found = readFileSync(join(out, `${name}.csv`), "utf8");
    const path = join(golden, `${name}.csv`);
    if (isUpdate) writeFileSync(path, found);
    expect(existsSync(path), `${path} is missing; UPDATE_GOLDEN=1 writes it`).toBe(true);
    expect(found).toBe(readFileSync(path, "utf8"));
  });

  test.each(reports.filter(({ chart }) => chart !== undefined && chart.y !== "rows"))(
    "the chart of $name does not add up values that its rows separate",
    ({ name, chart }) => {
      const text = readFileSync(join(out, `${name}.csv`), "utf8");
      const rows = parse<Record<string, string>>(text, { columns: true });
      const marks = rows.map((row) =>
        [row[chart!.x], chart!.stack && row[chart!.stack], row["source"]].join("\n"),
      );
      expect(new Set(marks).size).toBe(marks.length);
    },
  );

  test("a golden exists for each report and for nothing else", () => {
    expect(csvFiles(golden)).toEqual(names.map((name) => `${name}.csv`).toSorted());
  });

  test("every report has rows for the records", () => {
    const rows = (file: string): number =>
      readFileSync(join(golden, file), "utf8").split("\r\n").length - 2;
    // Three days hold no days before them, and the ledger of one file no windows; nothing was delivered.
    const empty =
      "altered_log api_key_then_new_address api_keys_harvested audit_log_read blocked_sign_ins conflicting_ids connections_used_at_once delivery_history denied_then_allowed departed_rights dormant_account_active dormant_user_grants duplicate_records full_access_new_address grant_then_download late_events many_networks mass_permission_changes new_http_host new_script_image new_user_full_access outside_invitation password_spraying quarantined_records sensitive_read_then_export short_rights_used silent_event slow_password_guessing table_export two_step_grants undelivered_rows unexplained_right unusual_volumes vanished_events windows_not_final workflow_mail_outside".split(
        " ",
      );
    const found = csvFiles(golden).filter((file) => rows(file) < 1);
    expect(found).toEqual(empty.map((name) => `${name}.csv`));
  });
});

function csvFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith(".csv"))
    .toSorted();
}
