import { expect, test } from "vitest";
import { homeWithWarehouse } from "../support/home.ts";
import type { Row } from "../support/rows.ts";

const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
const at = (minute: number, event_name: string, fields: object): object => ({
  id: `e${minute}`,
  time: noonS + 60 * minute,
  event_name,
  user_id: 1,
  user_email: "root@example.com",
  ...fields,
});

test("full_access on a shared database is manage on that database, and on no other", async () => {
  const shared = { resource_id: "3", resource_name: "crm", affected_user_id: 20 };
  using home = await homeWithWarehouse();
  const records = [
    at(0, "database_permission_modify", { ...shared, old_value: "", new_value: "Full_Access" }),
    at(1, "database_permission_modify", {
      ...shared,
      old_value: "manage",
      new_value: "full_access",
    }),
    at(2, "job_result_download", { resource_id: "1", user_id: 20, user_email: "ann@example.com" }),
  ];
  expect(await home.load(records)).toMatchObject({ code: 0 });
  const report = async (...argv: string[]): Promise<Row[]> => {
    const { code, out, err } = await home.run(["report", "run", ...argv, "--format", "json"]);
    expect(code, err).toBe(0);
    return JSON.parse(out) as Row[];
  };
  const during = ["--during", "2026-03-02"];
  expect(await report("full_access_granted", ...during)).toMatchObject([
    { how: "manage granted to user", object: "crm", subject_id: "20" },
  ]);
  expect(await report("permission_changes_by_actor", ...during)).toMatchObject([
    { granted: 1, full_access: 1 },
  ]);
  expect(await report("full_access_holders", "--param", "on=2026-03-03")).toEqual([]);
});
