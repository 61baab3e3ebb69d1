import fc from "fast-check";
import { expect, it } from "vitest";
import { answerFormats } from "../../../../fixtures/service/answer.ts";
import { toLoggedEvent, type AuditRecord } from "../../../../fixtures/record.ts";
import { dayMs, newRemote } from "../../../support/remote.ts";
import { identityFields, unknownNames } from "./keys-of.ts";

const names = Object.keys(identityFields);

it("an event has one key in every format of the service", async () => {
  const day = Date.UTC(2026, 4, 1);
  const known = fc.constantFrom(
    ...names.filter((name) => name !== "id"),
    "shade",
    unknownNames[1]!,
  );
  const json = fc.jsonValue({ maxDepth: 3 });
  const served = fc
    .sample(fc.dictionary(known, fc.oneof(json, fc.string(), fc.maxSafeInteger())), {
      numRuns: 60,
      seed: 5,
    })
    .map((r, i) => ({ ...r, time: day / 1000 + (i % 7), event_name: "job_kill", session_id: i }));
  // Equal events without an id are as many events.
  const all = [...served, ...served.slice(0, 5)] as unknown as AuditRecord[];
  const found: unknown[] = [];
  for (const answer of answerFormats) {
    await using remote = await newRemote(day + dayMs);
    await remote.serve(
      all.map((r) => toLoggedEvent(r)),
      { answer, pageCap: 13 },
    );
    const { code, err } = await remote.ingest(["--from", "2026-05-01", "--to", "2026-05-02"]);
    expect([answer, code, err.split("\n").find((line) => line.includes("error"))]).toEqual([
      answer,
      0,
      undefined,
    ]);
    found.push(await remote.home.rows("select event_key from events order by event_key"));
  }
  expect(found[0]).toHaveLength(all.length);
  for (const other of found.slice(1)) expect(other).toEqual(found[0]);
});
