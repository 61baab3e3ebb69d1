import { afterAll, beforeAll, expect, it } from "vitest";
import { examples, readExample } from "../../../../../pipeline/adapters/serve/sql/tables.ts";
import { newHome, type TestHome } from "../../../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  const time = Date.UTC(2026, 1, 1) / 1000;
  await home.load([{ id: "1", time, event_name: "user_signed_in", user_email: "a@example.com" }]);
});
afterAll(() => home[Symbol.dispose]());

it("has ten examples, each a statement that runs alone", async () => {
  expect(examples).toHaveLength(10);
  for (const name of examples) {
    const { code, err } = await home.run(["sql", readExample(name)]);
    expect([name, code, err]).toEqual([name, 0, err]);
  }
}, 60_000);
