import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

// Seed 002, States and transitions: every row of the table, and the sentence below it.

type User = { readonly id: number; readonly name: string };
type Statuses = readonly ("new" | "updated" | "deleted" | "unchanged")[];

const all: Statuses = ["new", "updated", "deleted", "unchanged"];
let home: TestHome;
let day = Date.parse("2026-03-01T00:00:00Z");

beforeEach(async () => {
  home = await homeWithWarehouse();
});
afterEach(() => home[Symbol.dispose]());

/** Lets these be the users, activates them by id and name, and returns which names came as what. */
async function run(...users: User[]): Promise<Partial<Record<string, string[]>>> {
  day += 86_400_000;
  const now = { now: () => day };
  const list = users.map((user) => ({ ...user, email: `u${user.id}@example.com` }));
  const file = home.write("users.json", JSON.stringify({ users: list }));
  const records = home.write("none.ndjson", `{"time":${day / 1000},"event_name":"x"}\n`);
  expect((await home.run(["import", records, "--users", file], now)).code).toBe(0);
  const people = {
    activation_actions_table: "users",
    id_key: "user_id",
    delta_keys: ["name"],
    activation_mappings: all.map((delta_status) => ({
      delta_status,
      connector_field: "file_name",
      connector_field_value: `${delta_status}-${day}`,
    })),
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
  };
  const config = home.write("auditlake.json", JSON.stringify({ activations: { people } }));
  const { code, err } = await home.run(["--config", config, "activate", "people"]);
  expect(code, err).toBe(0);
  return Object.fromEntries(
    all.flatMap((status) => {
      const names = namesIn(join(home.folder, "out", `${status}-${day}.ndjson`));
      return names === undefined ? [] : [[status, names]];
    }),
  );
}

function namesIn(file: string): string[] | undefined {
  try {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    return lines.map((line) => (JSON.parse(line) as User).name);
  } catch {
    return undefined;
  }
}

const [ana, bo, cy] = ["ana", "bo", "cy"].map((name, at) => ({ id: at + 1, name }));

describe("seed 002, States and transitions", () => {
  it("id_key absent, then present: new", async () => {
    await run(ana!);
    expect(await run(ana!, bo!)).toEqual({ new: ["bo"], unchanged: ["ana"] });
  });

  it("id_key present, and the hash of delta_keys differs: updated", async () => {
    await run(ana!, bo!);
    const renamed = { ...ana!, name: "anna" };
    expect(await run(renamed, bo!)).toEqual({ updated: ["anna"], unchanged: ["bo"] });
  });

  it("id_key present, and the hash of delta_keys is the same: unchanged", async () => {
    await run(ana!, bo!);
    expect(await run(ana!, bo!)).toEqual({ unchanged: ["ana", "bo"] });
  });

  it("id_key present, then absent: deleted", async () => {
    await run(ana!, bo!);
    expect(await run(bo!)).toEqual({ deleted: ["ana"], unchanged: ["bo"] });
  });

  it("a first run yields new, changed values updated, and no change unchanged", async () => {
    const renamed = { ...cy!, name: "cyd" };
    expect(await run(cy!)).toEqual({ new: ["cy"] });
    expect(await run(renamed)).toEqual({ updated: ["cyd"] });
    expect(await run(renamed)).toEqual({ unchanged: ["cyd"] });
  });

  it("a changing id appears as deleted plus new (C, rule 3)", async () => {
    await run(ana!, bo!);
    expect(await run({ ...ana!, id: 7 }, bo!)).toEqual({
      new: ["ana"],
      deleted: ["ana"],
      unchanged: ["bo"],
    });
  });
});
