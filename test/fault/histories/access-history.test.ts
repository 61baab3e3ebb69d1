import { expect, test } from "vitest";
import { newAccess } from "../../../fixtures/access.ts";
import type { LoggedEvent } from "../../../fixtures/record.ts";
import { makeTraffic } from "../../../fixtures/traffic.ts";
import { formatLines } from "../../support/home.ts";
import type { Row } from "../../support/rows.ts";
import { dayMs, newRemote, type Remote } from "../../support/remote.ts";
import {
  compareAccess,
  compareSpans,
  expectSame,
  toMoment,
} from "../../queries/access-compared.ts";
import { foundedAt, noon, play, type Played } from "../../queries/access-play.ts";
import { flagTexts, rightTexts, formatText } from "../../queries/access-texts.ts";
import { fewOrAll } from "../length.ts";

// Compares the views of the log with the service that wrote it, at every moment. More seeds: ACCESS_SEEDS=1,2,3 npx
// vitest run test/fault/histories/access-history.test.ts
const seeds = (process.env["ACCESS_SEEDS"] ?? fewOrAll("2", "1,2,3")).split(",").map(Number);
const changes = 150;

test.each(seeds)(
  "random changes over HTTP, seed %i: the state rebuilt from the log equals the service's state at every moment",
  { timeout: 120_000 },
  async (seed) => {
    await using remote = await newRemote(noon);
    const played = await play(remote, seed, changes, {
      standing: seed % 3 !== 0,
      unnamedKinds: seed % 2 === 0 ? "dropped" : "kept",
    });
    remote.clock.nowMs += dayMs;
    expect(await remote.ingest(["--from", "3d"])).toMatchObject({ code: 0 });
    await compareSpans(remote, played);
    await compareAccess(remote, played);
    await compareChanges(remote, played);
    const different = new Set(played.states.map(({ state }) => JSON.stringify(state)));
    expect(different.size).toBeGreaterThan(80);
    expect(played.access.events().length).toBeGreaterThan(changes);
  },
);

test("two ordinary weeks of log end in the service's own state", async () => {
  const from = noon - 14 * dayMs;
  await using remote = await newRemote(noon);
  const made = makeTraffic({ seed: 5, from, to: noon, eventsPerDay: 400 });
  // The emulated service keeps the users whom its traffic deletes.
  const isKept = ({ record }: LoggedEvent): boolean => record.event_name !== "user_delete";
  const traffic = { ...made, day: (start: number) => made.day(start).filter(isKept) };
  const now = (): number => remote.clock.nowMs;
  const about = { company: made.company, foundedAt: from - dayMs };
  const access = newAccess({ seed: 5, apiKey: remote.key, now, traffic, ...about });
  const founded = access.events().map(({ record }) => record);
  const records = traffic.days.flatMap((start) => traffic.day(start).map(({ record }) => record));
  expect(records.some((r) => r.event_name === "permission_policy_modify")).toBe(true);
  const users = remote.home.write("users.json", JSON.stringify({ users: access.users() }));
  const file = remote.home.write("records.ndjson", formatLines([...founded, ...records]));
  expect(await remote.home.run(["import", file, "--users", users])).toMatchObject({ code: 0 });
  const state = access.snapshot();
  const known = new Set(state.users.map(({ id }) => String(id)));
  const rows = await remote.home.rows(
    "select * from permission_spans where valid_to is null and origin <> 'flag'",
  );
  const kept = rows.filter(
    (r) => r["subject_kind"] === "policy" || known.has(String(r["subject_id"])),
  );
  expectSame(kept.map(formatText), rightTexts(state), "at the end");
});

/** What was granted and revoked, one after the other, with the actor and the address of each. */
async function compareChanges({ home }: Remote, { states, requests }: Played): Promise<void> {
  const rows = await home.rows(
    "select * from permission_changes where change in ('granted', 'revoked')",
  );
  const byMoment = Map.groupBy(rows, (row) => toMoment(row["event_time"])!);
  const held = new Set(flagTexts(states[0]!.state));
  const apply = (row: Row): void => {
    const text = formatText({
      ...row,
      object_name: row["origin"] === "set" ? row["object_name"] : null,
    });
    if (row["change"] === "granted") held.add(text);
    else held.delete(text);
  };
  for (const row of byMoment.get(foundedAt) ?? []) apply(row);
  for (const [i, { fromMs, state }] of states.entries()) {
    const request = requests.get(fromMs);
    for (const row of (request && byMoment.get(fromMs)) ?? []) {
      expect([row["actor_email"], row["ip_address"]]).toEqual([
        request?.as.toLowerCase(),
        request?.address,
      ]);
      apply(row);
    }
    expectSame([...held], [...rightTexts(state), ...flagTexts(state)], `after change ${i}`);
  }
}
