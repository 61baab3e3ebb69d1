import { afterEach, expect, test } from "vitest";
import { newRandom } from "../../fixtures/random.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import type { Row } from "../support/rows.ts";
import { fewOrAll } from "../fault/length.ts";

// Which id an e-mail names: the one that the user list gives it, else the newest that the log shows beside it.
const homes: TestHome[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

const noonS = Date.UTC(2026, 2, 2, 12) / 1000;
type Use = { readonly minute: number; readonly id: number; readonly email: string };

/** Each id holds a right on a database of its own number. */
const grantTo = (id: number): object => ({
  id: `grant-${id}`,
  time: noonS - 60,
  event_name: "database_permission_modify",
  resource_id: String(id),
  resource_name: `db${id}`,
  affected_user_id: id,
  old_value: "",
  new_value: "full_access",
});

async function load(uses: readonly Use[], listed: readonly object[]): Promise<TestHome> {
  const home = await homeWithWarehouse();
  homes.push(home);
  const events = uses.map(({ minute, id, email }, i) => ({
    id: `use-${i}`,
    time: noonS + 60 * minute,
    event_name: i % 2 === 0 ? "sign_in" : "heard_of_tomorrow",
    user_id: id,
    user_email: email,
  }));
  const grants = [...new Set(uses.map(({ id }) => id))].map(grantTo);
  const file = home.write("records.json", JSON.stringify([...grants, ...events]));
  const more =
    listed.length > 0 ? ["--users", home.write("users.json", JSON.stringify(listed))] : [];
  expect(await home.run(["import", file, ...more])).toMatchObject({ code: 0 });
  return home;
}

async function listReached(home: TestHome, who: string): Promise<unknown[]> {
  const { code, out, err } = await home.run(["access", "what", who, "--format", "json"]);
  expect(code, err).toBe(0);
  return (JSON.parse(out) as Row[]).map((row) => [row["operation"], row["object_id"]]);
}

test.each(fewOrAll([1], [1, 2, 3]))(
  "an e-mail refers to the id of the list, otherwise to the newest of the log, seed %i",
  async (seed) => {
    const random = newRandom(seed, "e-mails of the log");
    const emails = ["ann", "bob", "eve", "zoe"].map((name) => `${name}@example.com`);
    const uses = Array.from({ length: 30 }, (_, minute): Use => {
      const email = random.pick(emails);
      return {
        minute,
        id: random.int(1, 6),
        email: random.chance(0.5) ? email : email.toUpperCase(),
      };
    });
    const listed = random.chance(0.7) ? [{ id: 6, email: emails[0]!, name: "Ann" }] : [];
    const home = await load(uses, listed);
    for (const email of emails) {
      const newest = uses.findLast((use) => use.email.toLowerCase() === email);
      const wanted = listed.find((user) => user.email === email)?.id ?? newest?.id;
      if (wanted === undefined || !uses.some(({ id }) => id === wanted)) continue;
      expect({ email, found: await listReached(home, email.toUpperCase()) }).toEqual({
        email,
        found: [["manage", String(wanted)]],
      });
    }
  },
);

test("an e-mail that neither log nor list knows has no result, and similar ones are named", async () => {
  const home = await load([{ minute: 0, id: 1, email: "ann@example.com" }], []);
  const { code, err } = await home.run(["access", "what", "anne@example.com"]);
  expect({ code, err }).toMatchObject({ code: 2 });
  expect(err).toContain("ann@example.com");
});
