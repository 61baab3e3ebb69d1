import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readPictureEvents } from "../../../../pipeline/answers/findings/picture-marks.ts";

type Event = {
  readonly key: string;
  readonly second: number;
  readonly outcome: string;
  readonly actor: string;
  readonly address: string;
};
type Finding = {
  readonly id: string;
  readonly evidence: readonly number[];
  readonly isMeasured: boolean;
};

// The events begin before midnight and end after it.
const formatSecond = (second: number): string =>
  new Date(Date.UTC(2026, 10, 23, 22, 30) + second * 1000)
    .toISOString()
    .slice(0, 19)
    .replace("T", " ");

const anyEvents = fc.array(
  fc.record({
    second: fc.nat(3 * 3600),
    outcome: fc.constantFrom("failed", "denied", "succeeded"),
    actor: fc.constantFrom("ann", "bob"),
    address: fc.constantFrom("192.0.2.1", "192.0.2.2", "internal"),
  }),
  { minLength: 1, maxLength: 25 },
);

// The evidence, and before a single measured event what the same person or address was refused within the hour.
function expectTimes({ evidence, isMeasured }: Finding, events: readonly Event[]): string[] {
  const own = evidence.map((i) => events[i]!);
  const [only] = own;
  const before =
    own.length === 1 && isMeasured
      ? events.filter(
          (each) =>
            each.key !== only!.key &&
            each.outcome !== "succeeded" &&
            each.second > only!.second - 3600 &&
            each.second <= only!.second &&
            (each.actor === only!.actor ||
              (each.address === only!.address && each.address !== "internal")),
        )
      : [];
  return [...own, ...before].map(({ second }) => formatSecond(second)).toSorted();
}

it("reads the evidence of findings, and the events before a single measured event", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`
    create table events (source varchar, event_key varchar, event_time timestamp, event_date date,
      event_name varchar, outcome varchar, bytesize bigint, actor varchar, ip_address varchar);
    create table finding_rows (finding_id varchar, measures varchar);
    create table finding_events (finding_id varchar, event_key varchar, event_time timestamp)`);
  const property = fc.asyncProperty(
    anyEvents,
    fc.array(
      fc.record({ picks: fc.array(fc.nat(24), { maxLength: 3 }), isMeasured: fc.boolean() }),
      { minLength: 1, maxLength: 4 },
    ),
    async (rows, asked) => {
      const events = rows.map((row, i): Event => ({ ...row, key: `k${i}` }));
      const findings = asked.map(({ picks, isMeasured }, i): Finding => ({
        id: `f${i}`,
        evidence: [...new Set(picks.map((pick) => pick % events.length))],
        isMeasured,
      }));
      await connection.run(
        "delete from events; delete from finding_rows; delete from finding_events",
      );
      for (const { key, second, outcome, actor, address } of events)
        await connection.run(
          `insert into events values ('s', '${key}', '${formatSecond(second)}', '${formatSecond(second).slice(0, 10)}', 'e', '${outcome}', null, '${actor}', '${address}')`,
        );
      for (const { id, evidence, isMeasured } of findings) {
        await connection.run(
          `insert into finding_rows values ('${id}', '${isMeasured ? "[{}]" : "[]"}')`,
        );
        for (const i of evidence)
          await connection.run(
            `insert into finding_events values ('${id}', '${events[i]!.key}', '${formatSecond(events[i]!.second)}')`,
          );
      }
      const wanted = findings.slice(0, 3);
      const read = await readPictureEvents(
        connection,
        wanted.map(({ id }) => id),
      );
      for (const finding of findings) {
        const times = (read.get(finding.id) ?? []).map(({ eventTime }) => eventTime);
        expect(times).toEqual(wanted.includes(finding) ? expectTimes(finding, events) : []);
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
  connection.closeSync();
  instance.closeSync();
});
