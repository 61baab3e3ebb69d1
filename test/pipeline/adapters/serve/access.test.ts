import { afterAll, beforeAll, expect, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

type Way = {
  readonly holder: string;
  readonly operation: string;
  readonly policy: string | null;
  readonly valid_from: string | null;
  readonly granted_by: string | null;
};

let home: TestHome;
let served: Served;
let ways: readonly Way[];
beforeAll(async () => {
  home = await homeWithWarehouse();
  const argv = [
    "import",
    "fixtures/golden/records.ndjson",
    "--users",
    "fixtures/golden/users.json",
  ];
  const { code, err } = await home.run(argv);
  expect(code, err).toBe(0);
  const listed = await home.run(["report", "run", "full_access_holders", "--format", "json"]);
  ways = JSON.parse(listed.out) as Way[];
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

test("the access page has forms for a person and a database, and the cards of a review", async () => {
  const page = await served.text("/access");
  const forms = [...page.matchAll(/<form action="\/reports\/(\w+)"[^]*?<\/form>/g)];
  expect(forms.map(([, name]) => name)).toEqual(["user_permissions", "database_access"]);
  const reviewed = ["departed_rights", "unused_rights", "unheld_policies", "permission_drift"];
  for (const name of reviewed) expect(page).toContain(`href="/reports/${name}`);
  expect(page).toContain("By database");
  expect(page).not.toContain('role="alert"');
});

test("lists each person of the report of full access once, with every way and the earliest start", async () => {
  const page = await served.text("/access");
  const rows = [...page.matchAll(/<tr>([^]*?)<\/tr>/g)]
    .map(([, row]) => [...row!.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => cell!))
    .filter((cells) => cells.length === 5)
    .map((cells) => cells.map((cell) => cell.replaceAll(/<[^>]*>/g, "").trim()));
  const byHolder = Map.groupBy(ways, ({ holder }) => holder);
  expect(byHolder.size).toBeGreaterThan(0);
  expect(rows.map(([holder]) => holder)).toEqual(
    [...byHolder.keys()].map((holder) => holder.replace("@example.com", "")).sort(),
  );
  for (const [holder, own] of byHolder) {
    const row = rows.find(([name]) => name === holder.replace("@example.com", ""))!;
    const policies = own.flatMap(({ policy }) => (policy === null ? [] : [`policy ${policy}`]));
    for (const policy of policies) expect(row[1]).toContain(policy);
    const isOld = own.some(({ valid_from: from }) => from === null);
    expect(row[2] === "before the log").toBe(isOld);
  }
});
