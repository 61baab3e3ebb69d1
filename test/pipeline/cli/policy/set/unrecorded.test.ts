import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newDesk, query, type Desk } from "../desk.ts";

// What was sent cannot be revoked: its outcome is printed, even if the home cannot store it, as on a full disk.

let desk: Desk;
let id: string;
beforeEach(async () => {
  desk = await newDesk();
  id = await desk.newPolicy({ Databases: [{ operation: "download" }] });
});
afterEach(() => desk[Symbol.asyncDispose]());

it.each([
  [204, 1, `is set and verified\n`],
  [422, 1, "is unchanged: the service refused the set"],
])(
  "after %i the outcome is printed, and that it is not recorded",
  async (status, code, message) => {
    const kept = join(desk.remote.home.home, "policy-changes");
    desk.interfere((request, response) => {
      if (request.method !== "PATCH") return false;
      renameSync(kept, `${kept}.away`);
      writeFileSync(kept, "");
      if (status === 204) return false;
      response.writeHead(status).end();
      return true;
    });
    const [a = ""] = desk.databases;
    const set = desk.remote.home.write("set.json", JSON.stringify({ Databases: [query(a)] }));
    const done = await desk.policy(["set", id, "--file", set, "--yes"]);
    expect(done.err).toContain(message);
    expect(done.err).toContain("warning: its outcome is not recorded; policy changes shows it");
    expect(done.code).toBe(code);
    expect(desk.setOf(id)["Databases"]).toEqual(
      status === 204 ? [query(a)] : [{ operation: "download" }],
    );
    renameSync(kept, `${kept}.file`);
    renameSync(`${kept}.away`, kept);
    const { out } = await desk.policy(["changes", "--format", "csv"]);
    expect(out).toMatch(/,begun,,,/);
  },
);
