import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listUsers } from "../../../../fixtures/company.ts";
import type { Incident } from "../../../../fixtures/incidents/incident.ts";
import { makeTraffic, type Traffic } from "../../../../fixtures/traffic.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

export type Line = Readonly<Record<string, string | number | null>>;
const day = 86_400_000;
const to = Date.UTC(2026, 3, 20);

/** Tests that what was planted in the traffic of a seed is found, whole. */
export function testPlanted(seed: number): void {
  describe(`the planted incidents, seed ${seed}`, () => {
    let home: TestHome;
    let traffic: Traffic;
    beforeAll(async () => {
      home = await homeWithWarehouse();
      traffic = makeTraffic({ seed, from: to - 9 * day, to, eventsPerDay: 250 });
      const list = home.write("users.json", JSON.stringify({ users: listUsers(traffic.company) }));
      const records = [...traffic.events()].map(({ record }) => `${JSON.stringify(record)}\n`);
      const file = home.write("records.ndjson", records.join(""));
      expect(await home.run(["import", file, "--users", list])).toMatchObject({ code: 0 });
    }, 60_000);
    afterAll(() => home[Symbol.dispose]());

    const readLines = async (...argv: string[]): Promise<Line[]> => {
      const range = ["--since", "2026-04-11", "--until", "2026-04-20"];
      const { code, out, err } = await home.run([
        "investigate",
        ...argv,
        ...range,
        "--format",
        "json",
      ]);
      expect(code, err).toBe(0);
      return JSON.parse(out) as Line[];
    };
    const listCounts = (lines: readonly Line[]): Record<string, number> => {
      const keys = new Map(
        lines.map((line) => [String(line["event_key"]), String(line["event_name"])]),
      );
      const counts: Record<string, number> = {};
      for (const name of keys.values()) counts[name] = (counts[name] ?? 0) + 1;
      return counts;
    };
    const incidentsWith = (address: boolean): Incident[] =>
      traffic.incidents.filter((each) => !address || each.address?.startsWith("192.0.2.") === true);

    test("are on the timeline of the user who did it, complete", async () => {
      for (const truth of incidentsWith(false)) {
        const own = (await readLines("--user", truth.userEmail.toUpperCase())).filter(
          (line) => line["user_id"] === truth.userId,
        );
        expect(listCounts(own), truth.kind).toEqual(truth.events);
        expect(own[0]!["event_time"]).toBe(
          new Date(truth.from * 1000).toISOString().replace(".000", ""),
        );
      }
    });

    test("are on the timeline of the foreign address, as new to every user", async () => {
      expect(incidentsWith(true)).toHaveLength(2);
      for (const truth of incidentsWith(true)) {
        const lines = await readLines("--address", truth.address!);
        expect(new Set(lines.map((line) => line["actor"]))).toEqual(new Set([truth.userEmail]));
        expect(lines[0]!["first_seen"]).toMatch(/^address of anyone/);
      }
    });

    test("have self-granted rights before the downloads", async () => {
      const truth = traffic.incidents.find(({ kind }) => kind === "self_grant_download")!;
      const lines = await readLines("--user", String(truth.userId));
      const entries = lines.map((line) => `${line["entry"]} ${line["event_name"]}`);
      const granted = entries.indexOf("change permission_policy_attach_user");
      expect(granted).toBeGreaterThanOrEqual(0);
      expect(entries.indexOf("event job_result_download")).toBeGreaterThan(granted);
      const bytes = lines.map((line) => Number(line["bytes"] ?? 0));
      expect(bytes.reduce((sum, each) => sum + each, 0)).toBe(truth.bytes);
    });
  });
}
