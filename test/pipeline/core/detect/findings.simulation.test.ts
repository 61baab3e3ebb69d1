import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findDisagreements } from "../../../fault/findings/agreement.ts";
import { type DetectionHome, openDetectionHome } from "../../../support/detection-home.ts";

const startMs = Date.UTC(2026, 2, 3, 4);
const minuteS = 60;
const hourS = 3600;
const dayS = 24 * hourS;

/** Denials of one user, one a minute from a second of the log on. */
function denials(count: number, fromS: number, user = 17): object[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `${user}-${fromS + n * minuteS}`,
    time: startMs / 1000 + fromS + n * minuteS,
    event_name: "job_create_unauthorized",
    user_id: user,
  }));
}

const openHome = (config: object = {}): Promise<DetectionHome> =>
  openDetectionHome(config, ["repeated_denials"]);

const own = "detection = 'repeated_denials'";

async function findings(home: DetectionHome): Promise<Record<string, unknown>[]> {
  return home.rows(
    `select finding_id, state, state_reason, hits, closed_as, suppressed_by, raised_at, run_id, cast(first_at as varchar) as first_at, cast(last_at as varchar) as last_at, key from findings where ${own} order by first_at, last_at, finding_id`,
  );
}

async function decideOn(
  home: DetectionHome,
  finding: Record<string, unknown>,
  decision: "acknowledge" | "close" | "reopen" | "note" | "notified",
): Promise<void> {
  const [moments] = await home.rows(
    `select cast(first_at as varchar) as first_at, cast(last_at as varchar) as last_at from finding_rows where finding_id = '${String(finding["finding_id"])}'`,
  );
  await home.decide({
    decision,
    detection: "repeated_denials",
    source: "default",
    key: String(finding["key"]),
    first_at: String(moments!["first_at"]),
    last_at: String(moments!["last_at"]),
    finding_id: String(finding["finding_id"]),
    ...(decision === "close" ? { closed_as: "benign" as const } : {}),
  });
}

describe("a finding", () => {
  test("grows while hits follow each other, and a later hit is another finding", async () => {
    await using home = await openHome();
    await home.load([...denials(26, 0), ...denials(25, 20 * hourS), ...denials(25, 60 * hourS)]);
    await home.evaluate();
    // 2 hits, 1 hit within a day, and 1 hit a day later.
    expect((await findings(home)).map(({ hits }) => hits)).toEqual(["3", "1"]);
  });

  test("is raised once, and evaluated over new data only", async () => {
    await using home = await openHome();
    await home.load(denials(25, 0));
    await home.evaluate();
    await home.evaluate();
    await home.load(denials(25, 10 * dayS));
    await home.evaluate();
    const runs = await home.rows(
      `select run_id, cast(evaluated_from as varchar) as evaluated_from, hits, new_findings from detection_runs where ${own} order by run_id`,
    );
    expect(runs).toEqual([
      { run_id: "run-1", evaluated_from: null, hits: "1", new_findings: "1" },
      { run_id: "run-3", evaluated_from: "2026-03-13 04:00:00", hits: "1", new_findings: "1" },
    ]);
  });

  test("takes an earlier hit that arrives late, with id, decisions and the moment it was raised", async () => {
    await using home = await openHome();
    await home.load(denials(25, 10 * hourS));
    await home.evaluate();
    const [before] = await findings(home);
    await decideOn(home, before!, "acknowledge");
    await decideOn(home, before!, "notified");
    await home.load(denials(25, 0));
    await home.evaluate();
    const [after, withdrawn] = await findings(home);
    expect(after).toMatchObject({
      state: "acknowledged",
      hits: "2",
      raised_at: before!["raised_at"],
    });
    expect(withdrawn).toMatchObject({
      finding_id: before!["finding_id"],
      state: "withdrawn",
      state_reason: `part of ${String(after!["finding_id"])}`,
    });
    const sent = await home.rows(
      `select count(notified_at) as sent from findings where ${own} and state <> 'withdrawn'`,
    );
    expect(sent).toEqual([{ sent: "1" }]);
  });

  test("that joins two others has the id of the earlier one", async () => {
    await using home = await openHome();
    await home.load([...denials(25, 0), ...denials(25, 40 * hourS)]);
    await home.evaluate();
    const [first, second] = await findings(home);
    await home.load(denials(25, 20 * hourS));
    await home.evaluate();
    expect(await findings(home)).toMatchObject([
      { finding_id: first!["finding_id"], state: "open", hits: "3" },
      { finding_id: second!["finding_id"], state: "withdrawn" },
    ]);
  });

  test("that is closed grows by hits of its time, and a later one refers to it", async () => {
    await using home = await openHome();
    await home.load([...denials(25, 0), ...denials(25, 10 * hourS)]);
    await home.evaluate();
    const [closed] = await findings(home);
    await decideOn(home, closed!, "close");
    await home.load([...denials(25, 5 * hourS), ...denials(25, 12 * hourS)]);
    await home.evaluate();
    expect(await findings(home)).toMatchObject([
      { finding_id: closed!["finding_id"], state: "closed", closed_as: "benign", hits: "3" },
      { state: "open", hits: "1" },
    ]);
    await decideOn(home, closed!, "reopen");
    await home.evaluate();
    expect((await findings(home)).map(({ state }) => state)).toEqual(["open", "open"]);
  });

  test("after a closed one has all events of its window as evidence, and the time from their first", async () => {
    await using home = await openHome();
    await home.load(denials(25, 0));
    await home.evaluate();
    const [closed] = await findings(home);
    await decideOn(home, closed!, "close");
    await home.load(denials(1, 30 * minuteS));
    await home.evaluate();
    expect(await findings(home)).toMatchObject([
      { state: "closed", hits: "1", first_at: "2026-03-03 04:00:00" },
      { state: "open", hits: "1", first_at: "2026-03-03 04:00:00" },
    ]);
    expect(await findDisagreements(home.rows)).toEqual([]);
  });

  test("is withdrawn where its detection is disabled or its limit raised, and comes back", async () => {
    await using home = await openHome();
    await home.load(denials(25, 0));
    await home.evaluate();
    const [raised] = await findings(home);
    await home.evaluate({ detections: { repeated_denials: { enabled: false } } });
    expect(await findings(home)).toMatchObject([
      { state: "withdrawn", state_reason: "the detection is disabled or was removed" },
    ]);
    await home.evaluate({ detections: { repeated_denials: { parameters: { denials: 26 } } } });
    expect(await findings(home)).toMatchObject([{ state: "withdrawn" }]);
    await home.evaluate();
    expect(await findings(home)).toEqual([{ ...raised, run_id: raised!["run_id"] }]);
  });
});

describe("a hit", () => {
  test("of a known key raises nothing and is counted", async () => {
    const known = { findings: { known: { repeated_denials: [{ user_id: "17" }] } } };
    await using home = await openHome(known);
    await home.load([...denials(25, 0), ...denials(25, 0, 18)]);
    await home.evaluate();
    expect((await findings(home)).map(({ key }) => key)).toEqual([
      '{"source":"default","user_id":"18","account":null}',
    ]);
    expect(await home.rows(`select hits, known_hits from detection_runs where ${own}`)).toEqual([
      { hits: "1", known_hits: "1" },
    ]);
  });

  test("is detected at an event that was loaded before, if a late event completes its window", async () => {
    await using home = await openHome();
    await home.load(denials(24, minuteS));
    await home.evaluate();
    expect(await findings(home)).toEqual([]);
    await home.load(denials(1, 0));
    await home.evaluate();
    expect(await findings(home)).toMatchObject([
      { hits: "1", first_at: "2026-03-03 04:00:00", last_at: "2026-03-03 04:24:00" },
    ]);
  });

  test("is suppressed up to the end, and the first hit after it raises the finding", async () => {
    await using home = await openHome();
    await home.decide({
      decision: "suppress",
      detection: "repeated_denials",
      conditions: { user_id: "17" },
      suppressed_until: "2026-03-03 12:00:00",
    });
    await home.load([...denials(25, 0), ...denials(25, 0, 18)]);
    await home.evaluate();
    const before = await findings(home);
    expect(before.map(({ suppressed_by: by }) => by === null)).toEqual(
      before.map(({ key }) => String(key).includes('"18"')),
    );
    await home.load(denials(25, 9 * hourS));
    await home.evaluate();
    const after = (await findings(home)).find(({ key }) => String(key).includes('"17"'));
    expect(after).toMatchObject({ suppressed_by: null, hits: "2", run_id: "run-2" });
  });
});

test("every detection runs over a log with evidence for most of them", async () => {
  await using home = await openDetectionHome();
  const golden = readFileSync(
    new URL("../../../../fixtures/golden/records.ndjson", import.meta.url),
    "utf8",
  );
  const records = golden.split("\n").filter((line) => line.startsWith("{"));
  await home.load(records.map((line) => JSON.parse(line) as object));
  expect(await home.evaluate()).toEqual([]);
  const [row] = await home.rows("select count(distinct detection) as detections from findings");
  expect(Number(row?.["detections"])).toBeGreaterThan(15);
  expect(await findDisagreements(home.rows)).toEqual([]);
});

test("a finding that is suppressed keeps the moment that it was raised", async () => {
  await using home = await openHome();
  await home.load(denials(25, 0));
  await home.evaluate();
  const [raised] = await findings(home);
  await home.decide({
    decision: "suppress",
    detection: "repeated_denials",
    conditions: { user_id: "17" },
    suppressed_until: "2030-06-01 00:00:00",
  });
  for (const _ of [1, 2]) await home.evaluate();
  const [kept] = await findings(home);
  expect(kept).toMatchObject({ raised_at: raised!["raised_at"], run_id: raised!["run_id"] });
  expect(kept!["suppressed_by"]).not.toBeNull();
});

test("a detection that fails affects no other, and is evaluated over the same time by the next run", async () => {
  await using home = await openHome();
  await home.load(denials(25, 0));
  const failed = await home.evaluate({}, () => Promise.reject(new Error("out of memory")));
  expect(failed.map(({ error }) => error)).toContain("out of memory");
  expect(await findings(home)).toEqual([]);
  await home.load(denials(1, 5 * dayS, 99));
  expect(await home.evaluate()).toEqual([]);
  expect((await findings(home)).map(({ hits }) => hits)).toEqual(["1"]);
});

test("evidence is what the hits count, and the measure has the usual amount", async () => {
  await using home = await openHome();
  await home.load([...denials(4, -5 * dayS), ...denials(9, -3 * dayS, 18), ...denials(26, 0)]);
  await home.evaluate();
  const [found] = await home.rows(
    `select measures, (select count(*) from finding_events as e where e.finding_id = f.finding_id) as events from findings as f where ${own}`,
  );
  expect(found?.["events"]).toBe("26");
  expect(JSON.parse(String(found?.["measures"]))).toEqual([
    { name: "denials", value: 26, limit: 25, usual: 4, others: 9 },
  ]);
});

test("risk counts findings of the 30 days before the newest event, and a wrong clock does not extend that", async () => {
  await using home = await openHome();
  const readActors = async (): Promise<unknown[]> =>
    (await home.rows("select actor from risk_by_actor order by actor")).map(({ actor }) => actor);
  const lastS = 24 * minuteS;
  const [quiet] = denials(1, lastS + 30 * dayS - 1, 18);
  await home.load([...denials(25, 0), quiet!]);
  await home.evaluate();
  expect(await readActors()).toEqual(["user 17"]);
  await home.load(denials(1, lastS + 30 * dayS, 18));
  expect(await readActors()).toEqual([]);
  // The runs of this home are in 2030.
  const runS = Date.UTC(2030, 0, 1) / 1000 - startMs / 1000;
  await home.load([...denials(25, runS - 10 * dayS), ...denials(1, runS + 300 * dayS, 18)]);
  await home.evaluate();
  expect(await readActors()).toEqual(["user 17"]);
});
