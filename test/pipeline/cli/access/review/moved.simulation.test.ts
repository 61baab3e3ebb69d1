import { afterAll, beforeAll, expect, test } from "vitest";
import { failureLine } from "../../../../support/failure.ts";
import { writeSheet } from "../company.ts";
import {
  readAll,
  decide,
  readFile,
  isOf,
  newTeam,
  query,
  rowsIn,
  set,
  type Team,
} from "../team.ts";

// What may have happened between the export of a review and the end of its apply.

let team: Team;
beforeAll(async () => void (team = await newTeam()));
afterAll(() => team[Symbol.asyncDispose]());

test("a right, a member or a policy that changed since the export stops the apply", async () => {
  const folder = await team.exported();
  const file = readFile(folder);
  writeSheet(
    file,
    decide(readAll(folder), (line) =>
      isOf(line, team.writers) && line["right"]!.startsWith("query") ? "revoke" : "keep",
    ),
  );
  const before = team.desk.setOf(team.writers);
  const refuse = async (): Promise<string> => {
    team.desk.requests();
    const line = failureLine(
      { ...(await team.review(["apply", folder, "--yes"])), out: "" },
      1,
      [],
    );
    expect(team.desk.requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
    return line;
  };
  await team.desk.setElsewhere(
    team.writers,
    set({ operation: "manage" }, query(`${team.first},${team.second}`)),
  );
  expect(await refuse()).toContain(`policy ${team.writers} now has query:${team.second}`);
  await team.desk.setElsewhere(team.writers, set(query(team.first)));
  expect(await refuse()).toContain(`policy ${team.writers} lost manage`);
  await team.desk.setElsewhere(team.writers, before);
  await team.belong("POST", team.eve, team.writers);
  await team.ingest();
  expect(await refuse()).toMatch(/policy \d+ has the new member /);
  await team.belong("DELETE", team.eve, team.writers);
  await team.ingest();
  expect(await team.planned(folder, "--dry-run")).toMatchObject([{ how: "sent" }]);
});

test("an interrupted apply resumes where it stopped, and sends nothing twice", async () => {
  const folder = await team.exported();
  writeSheet(
    readFile(folder),
    decide(readAll(folder), (line) =>
      line["right"]!.startsWith("query on") &&
      line["right"]!.includes(team.first) &&
      line["way"]!.startsWith("policy")
        ? "revoke"
        : "keep",
    ),
  );
  // The first PATCH is carried out and its answer lost; the second does not arrive.
  team.desk.interfere((request, response, patches) => {
    if (request.method !== "PATCH" || patches < 2) return false;
    response.destroy();
    return true;
  });
  const cut = await team.review(["apply", folder, "--yes"]);
  expect(cut.code).not.toBe(0);
  team.desk.interfere(undefined);
  team.desk.requests();
  const status = await team.review(["status", "--format", "ndjson"]);
  const states = rowsIn(status.out).map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(["sent", "open"]));
  expect(await team.review(["apply", folder, "--yes"])).toMatchObject({ code: 0 });
  expect(team.desk.requests().filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
  for (const id of [team.readers, team.writers])
    expect(JSON.stringify(team.desk.setOf(id))).not.toContain(team.first);
  await team.ingest();
  const done = await team.review(["status", "--strict", "--format", "ndjson"]);
  expect(done.code).toBe(0);
  for (const row of rowsIn(done.out))
    expect(row).toMatchObject({
      state: "sent",
      proven_actor: expect.stringContaining("@"),
    });
  const changes = await team.desk.policy(["changes", "--format", "ndjson"]);
  expect(rowsIn(changes.out)[0]).toMatchObject({
    verb: "review",
    reason: expect.stringMatching(/^review \S+ by carla$/),
  });
});
