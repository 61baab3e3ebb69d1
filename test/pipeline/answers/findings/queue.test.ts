import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  countDays,
  countStates,
  type QueueFilter,
  type QueueState,
  readQueue,
} from "../../../../pipeline/answers/findings/queue.ts";
import { type DetectionHome, openDetectionHome } from "../../../support/detection-home.ts";

const severities = ["info", "low", "medium", "high", "critical"] as const;
const day0 = Date.UTC(2026, 2, 1);
const hourMs = 3_600_000;

type Sample = {
  readonly id: string;
  readonly severity: (typeof severities)[number];
  readonly state: "open" | "acknowledged" | "closed" | "withdrawn";
  readonly isSuppressed: boolean;
  readonly subject: string;
  readonly detection: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly raisedMs: number;
};

// A small generator with a fixed seed, so that the same findings come each time.
function newRandom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

function makeSamples(): Sample[] {
  const next = newRandom(7);
  const states = ["open", "open", "acknowledged", "closed", "withdrawn"] as const;
  return Array.from({ length: 160 }, (_, n) => {
    const firstMs = day0 + next(240) * hourMs;
    return {
      id: (n * 2654435761).toString(16).padStart(16, "0").slice(-16),
      severity: severities[next(5)]!,
      state: states[next(5)]!,
      isSuppressed: next(4) === 0,
      subject: ["Ann@example.com", "bob%@example.com", "192.0.2.7", "user 17"][next(4)]!,
      detection: ["repeated_denials", "self_grants"][next(2)]!,
      firstMs,
      lastMs: firstMs + next(48) * hourMs,
      raisedMs: firstMs + next(72) * hourMs,
    };
  });
}

const samples = makeSamples();
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const stamp = (ms: number): string => `timestamp ${quote(new Date(ms).toISOString().slice(0, 19))}`;

let home: DetectionHome;
beforeAll(async () => {
  home = await openDetectionHome({}, []);
  const rows = samples.map(
    (each) =>
      `(${[
        quote(each.id),
        quote(each.detection),
        quote(each.severity),
        quote(`Title of ${each.detection}`),
        quote(`${each.subject} did something`),
        "'default'",
        "'address'",
        quote(each.subject),
        "'{}'",
        stamp(each.firstMs),
        stamp(each.lastMs),
        "1",
        "'[]'",
        quote(each.state),
        "null",
        "null",
        each.isSuppressed ? "'s1'" : "null",
        stamp(each.raisedMs),
        "'run'",
        "null",
        "'T1078.004'",
        "null",
        "null",
      ].join(", ")})`,
  );
  await home.connection.run(`insert into finding_rows values ${rows.join(", ")}`);
});
afterAll(() => home[Symbol.asyncDispose]());

const stateOf = ({ state, isSuppressed }: Sample): string => {
  if (state !== "open") return state;
  return isSuppressed ? "suppressed" : "new";
};

function matches(sample: Sample, filter: QueueFilter): boolean {
  const words = `${sample.subject} ${sample.subject} did something Title of ${sample.detection} ${sample.detection} T1078.004`;
  const search = filter.search?.toLowerCase();
  return (
    severities.indexOf(sample.severity) >= severities.indexOf(filter.severity) &&
    (filter.detection === undefined || filter.detection === sample.detection) &&
    (filter.subject === undefined ||
      filter.subject.toLowerCase() === sample.subject.toLowerCase()) &&
    (search === undefined || words.toLowerCase().includes(search) || sample.id.startsWith(search))
  );
}

const isWithin = ({ lastMs, firstMs }: Sample, { during }: QueueFilter): boolean =>
  lastMs >= during.startMs && firstMs < during.endMs;

const isListed = (sample: Sample, state: QueueState): boolean => {
  const shown = stateOf(sample);
  return state === "all" || shown === state || (state === "open" && /^(new|ack)/.test(shown));
};

const whole = { startMs: day0, endMs: day0 + 400 * hourMs };
const all: QueueFilter = { state: "all", severity: "info", during: whole };
const filters: readonly (readonly [string, QueueFilter])[] = [
  ["everything", all],
  ["open ones", { ...all, state: "open" }],
  ["new ones", { ...all, state: "new" }],
  ["suppressed ones", { ...all, state: "suppressed" }],
  ["withdrawn ones", { ...all, state: "withdrawn" }],
  ["high ones", { ...all, severity: "high" }],
  ["a detection", { ...all, detection: "self_grants" }],
  ["a subject in another case", { ...all, subject: "ann@EXAMPLE.com" }],
  ["a search", { ...all, search: "BOB%" }],
  ["a technique", { ...all, search: "t1078" }],
  ["an id", { ...all, search: samples[3]!.id.slice(0, 6) }],
  ["nothing", { ...all, search: "nowhere" }],
  [
    "part of the time",
    { ...all, during: { startMs: day0 + 90 * hourMs, endMs: day0 + 100 * hourMs } },
  ],
];

describe.each(filters)("the queue of %s", (_, filter) => {
  const own = samples.filter((sample) => matches(sample, filter));
  const listed = own.filter((each) => isWithin(each, filter) && isListed(each, filter.state));

  test("is ordered by severity, new ones first, the newest first", async () => {
    const rank = ({ severity }: Sample): number => -severities.indexOf(severity);
    const late = (sample: Sample): number => (stateOf(sample) === "new" ? 0 : 1);
    const expected = listed.toSorted(
      (a, b) =>
        rank(a) - rank(b) || late(a) - late(b) || b.lastMs - a.lastMs || (a.id < b.id ? -1 : 1),
    );
    const pages = [0, 7, 14].map((skipped) =>
      readQueue(home.connection, filter, { skipped, most: 7 }),
    );
    const rows = (await Promise.all(pages)).flat();
    expect(rows.map(({ findingId }) => findingId)).toEqual(
      expected.slice(0, 21).map(({ id }) => id),
    );
    for (const { total } of rows) expect(total).toBe(listed.length);
  });

  test("is counted by state, within the range and outside of it", async () => {
    const newSinceMs = day0 + 100 * hourMs;
    const counted = await countStates(home.connection, filter, newSinceMs);
    const names = [...new Set(own.map(stateOf))].sort();
    expect(counted).toEqual(
      names.map((state) => {
        const inState = own.filter((each) => stateOf(each) === state);
        const within = inState.filter((each) => isWithin(each, filter));
        const oldestMs = Math.min(...within.map(({ firstMs }) => firstMs));
        return {
          state,
          findings: within.length,
          outside: inState.length - within.length,
          added: within.filter(({ raisedMs }) => raisedMs >= newSinceMs).length,
          oldestAt:
            within.length === 0 ? null : `${new Date(oldestMs).toISOString().slice(0, 19)}Z`,
        };
      }),
    );
  });

  test("is counted by day and severity", async () => {
    const days = await countDays(home.connection, filter);
    const groups = Object.groupBy(
      listed,
      ({ firstMs, severity }) => `${new Date(firstMs).toISOString().slice(0, 10)} ${severity}`,
    );
    const found = days.map(({ day, severity, findings }) => [`${day} ${severity}`, findings]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group!.length])),
    );
  });
});
