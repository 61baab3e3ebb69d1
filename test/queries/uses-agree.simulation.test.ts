import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Random, newRandom } from "../../fixtures/random.ts";
import { readingTexts } from "../support/command.ts";
import { homeWithWarehouse } from "../support/home.ts";
import { fewOrAll } from "../fault/length.ts";

// Databases take turns with few names, and people use them by the names of the day. They do so by the texts of jobs
// that run in another database, and by events about tables. Their uses are recorded beside.
const startS = Date.UTC(2026, 2, 1) / 1000;
const now = (): number => (startS + 10 * 86_400) * 1000;
const databases = ["50", "51", "52", "53"];
const people = [21, 22, 23];
const operations = ["query", "edit", "import"];

type World = { readonly records: object[]; readonly held: Set<string>; readonly used: Set<string> };

function makeWorld(random: Random): World {
  const records: object[] = [];
  const add = (fields: object): void =>
    void records.push({ id: `e${records.length}`, time: startS + records.length * 600, ...fields });
  const names = new Map(databases.map((id, i) => [id, ["crm", "sales", "lab", "ops"][i]!]));
  const event = (name: string, id: string): object => ({
    event_name: `database_${name}`,
    user_id: 1,
    resource_id: id,
    resource_name: names.get(id),
  });
  for (const id of databases) add(event("create", id));
  const held = new Set<string>();
  for (const user of people) {
    const policy = { resource_id: `${100 + user}`, resource_name: `Policy ${user}` };
    const entries = operations.map((operation) => {
      const ids = databases.filter(() => random.chance(0.5));
      for (const id of ids) held.add(`${user} ${operation} ${id}`);
      return { operation, ids: ids.join(",") };
    });
    const sets = entries.filter(({ ids }) => ids !== "");
    add({ event_name: "permission_policy_create", ...policy });
    const new_value = JSON.stringify({ Databases: sets });
    add({ event_name: "permission_policy_modify", ...policy, old_value: "{}", new_value });
    add({ event_name: "permission_policy_attach_user", ...policy, affected_user_id: user });
  }
  const used = new Set<string>();
  for (let i = 0; i < 40; i++) {
    const [id, other] = [random.pick(databases), random.pick(databases)];
    if (random.chance(0.4)) {
      // A name that another one had, or that none had before.
      names.set(id, random.pick(["crm", "sales", "lab", "ops", `new${i}`]));
      add(event("modify", id));
      continue;
    }
    const [user_id, name] = [random.pick(people), names.get(id)!];
    const job = { event_name: "job_issue", resource_id: `${900 + i}`, job_type: "presto" };
    const place = { resource_name: `${names.get(other)}.${900 + i}`, user_id };
    const [kind, fields] = random.pick([
      ["query", { ...job, ...place, query_text: `select a from ${name}.t` }],
      ["edit", { ...job, ...place, query_text: `delete from ${name}.t where a = 1` }],
      ["query", { event_name: "table_preview", user_id, resource_name: `${name}.t` }],
      ["import", { event_name: "bulk_import_finished", user_id, target_table: `${name}.t` }],
    ] as const);
    add(fields);
    // If two have one name at once, it is unknown which of them it was.
    for (const [same, its] of names) if (its === name) used.add(`${user_id} ${kind} ${same}`);
  }
  return { records, held, used };
}

test.each(fewOrAll([1], [1, 2]))(
  "reports, reviews and proposals agree on unused rights, and none was used by a name of its day, seed %i",
  async (seed) => {
    const { records, held, used } = makeWorld(newRandom(seed, "uses by names"));
    using home = await homeWithWarehouse();
    expect(await home.load(records, { env: readingTexts, now })).toMatchObject({ code: 0 });
    const readRows = async (report: string): Promise<Record<string, string>[]> => {
      const range = ["--since", "2026-03-01", "--until", "2026-03-11", "--format", "json"];
      const { out } = await home.run(["report", "run", report, ...range], { now });
      return JSON.parse(out) as Record<string, string>[];
    };
    const byPerson = (await readRows("unused_grants")).map(
      (row) => `${row["user_id"]} ${row["operation"]} ${row["database_id"]}`,
    );
    const byPolicy = (await readRows("unused_rights")).map(
      (row) => `${Number(row["policy_id"]) - 100} ${row["operation"]} ${row["database_id"]}`,
    );
    const folder = join(home.folder, "review");
    const exported = await home.run(["access", "review", "export", "--out", folder], { now });
    expect(exported.code).toBe(0);
    const review = readdirSync(folder)
      .flatMap((file) => readFileSync(join(folder, file), "utf8").split("\r\n"))
      .flatMap((line) => {
        const cells = /^"user (\d+)","(\w+) on .*? \((\d+)\)",[^,]*,[^,]*,"([^"]*)"/.exec(line);
        return cells !== null && !/^\d/.test(cells[4]!) ? [cells.slice(1, 4).join(" ")] : [];
      });
    const proposed: string[] = [];
    for (const user of people) {
      const argv = ["policy", "propose", String(100 + user), "--unused", "365d", "--format", "csv"];
      const { code, out } = await home.run(argv, { now });
      expect(code).toBe(0);
      const lost = out.matchAll(/^"user (\d+)",(\w+),(\d+),/gm);
      proposed.push(...[...lost].map((cells) => cells.slice(1, 4).join(" ")));
    }
    const unused = byPerson.toSorted();
    expect(byPolicy.toSorted()).toEqual(unused);
    expect(review.toSorted()).toEqual(unused);
    expect(proposed.toSorted()).toEqual(unused);
    expect(unused.filter((right) => used.has(right) || !held.has(right))).toEqual([]);
    expect(unused.length).toBeGreaterThan(0);
  },
);
