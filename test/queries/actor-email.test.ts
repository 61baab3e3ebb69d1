import { afterAll, beforeAll, expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";

// People are written in several ways; an exact match has to find all that one of them did.

const time = 1_767_225_600;
const written = ["ann@example.com", "Ann@Example.com", "ANN@EXAMPLE.COM", null, ""];
let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  const records = written.flatMap((user_email, i) => [
    { time, event_name: "sign_in_failed", id: `s${i}`, user_id: 7, user_email },
    { time, event_name: "job_issue", id: `j${i}`, user_id: 7, user_email, resource_id: `${i}` },
    {
      time,
      event_name: "permission_policy_user_assign",
      id: `p${i}`,
      user_id: 7,
      user_email,
    },
  ]);
  const users = home.write("users.json", JSON.stringify([{ id: 7, email: "Ann@Example.com" }]));
  const file = home.write("r.ndjson", records.map((record) => JSON.stringify(record)).join("\n"));
  expect((await home.run(["import", file, "--users", users])).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

it.each(["events", "query_activity"])("%s finds a person by one spelling", async (view) => {
  const all = await home.count(`select count(*) from ${view}`);
  expect(all).toBeGreaterThanOrEqual(written.length);
  const found = `select count(*) from ${view} where actor_email = 'ann@example.com'`;
  expect(await home.count(found)).toBe(all);
});

it("the written form stays in user_email", async () => {
  const rows = await home.rows("select distinct user_email from events order by user_email");
  expect(rows.map((row) => row["user_email"])).toEqual([...new Set(written)].toSorted());
});
