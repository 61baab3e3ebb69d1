import { expect, it } from "vitest";
import {
  type Action,
  formatCheckpointName,
  parseCheckpoint,
  formatEntryName,
  readAction,
  readEntry,
  parseVersion,
  writeEntry,
} from "../../../../pipeline/adapters/lake/log.ts";

it("files of a log are named by their version, and recognized by their names", () => {
  const number = "00000000000000000012";
  expect(formatEntryName("jobs", 12)).toBe(`jobs/_delta_log/${number}.json`);
  expect(formatCheckpointName("jobs", 12)).toBe(`jobs/_delta_log/${number}.checkpoint.parquet`);
  expect(parseVersion(formatEntryName("jobs", 12))).toBe(12);
  expect(parseVersion(formatEntryName("jobs", 0))).toBe(0);
  expect(parseCheckpoint(formatCheckpointName("jobs", 12))).toBe(12);
  for (const name of [
    formatCheckpointName("jobs", 1),
    `jobs/_delta_log/0${number}.json`,
    `jobs/_delta_log/${number}.json.tmp`,
    `jobs/${number}.json`,
    "jobs/_delta_log/_last_checkpoint",
  ])
    expect([name, parseVersion(name)]).toEqual([name, undefined]);
  expect(parseCheckpoint(formatEntryName("jobs", 1))).toBeUndefined();
});

it("actions are read as they were written, including those of other writers", () => {
  const actions: Action[] = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    { remove: { path: "a b", dataChange: true } },
    { commitInfo: { timestamp: 1, operation: "WRITE", more: "kept" } },
    { txn: { appId: "x", version: 3 } } as Action,
  ];
  expect(readEntry("e", writeEntry(actions))).toEqual(actions);
  expect(readEntry("e", Buffer.from('\n{"txn":{}}\n  \n'))).toEqual([{ txn: {} }]);
  expect(readEntry("e", Buffer.from(""))).toEqual([]);
});

it("members without a value are omitted, and an invalid action is refused by the name of its entry", () => {
  expect(readAction("e", '{"add":null,"remove":{"path":"a","dataChange":true}}')).toEqual({
    remove: { path: "a", dataChange: true },
  });
  for (const line of ["{", "null", '{"add":{"path":1}}', '{"remove":{"path":"a"}}'])
    expect(() => readAction("jobs/1.json", line)).toThrow(
      "the log entry jobs/1.json of the lake cannot be read",
    );
});
