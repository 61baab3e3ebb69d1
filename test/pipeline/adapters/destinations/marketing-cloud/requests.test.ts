import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  openRequests,
  type OpenRequests,
} from "../../../../../pipeline/adapters/destinations/marketing-cloud/tally.ts";
import { temporaryFolder } from "../../../../support/load.ts";

function outbox(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  return path;
}

const state = (requests: OpenRequests): [readonly string[], boolean] => [
  requests.list(),
  requests.hasUnnamed(),
];

it("a batch is unnamed from its submission until its request has an id, or is known not to exist", async () => {
  const folder = outbox();
  const seen: unknown[] = [];
  // A process that reads the records again sees the same.
  const note = (requests: OpenRequests): void => {
    expect(state(openRequests(folder))).toEqual(state(requests));
    seen.push(state(requests));
  };
  const requests = openRequests(folder);
  note(requests);
  await requests.begin();
  note(requests);
  await requests.name("a");
  note(requests);
  await requests.begin();
  await requests.name();
  note(requests);
  await requests.begin();
  await requests.name("b", true);
  note(requests);
  await requests.begin();
  await requests.name("c");
  note(requests);
  await requests.remove("a");
  note(requests);
  const others = openRequests(outbox());
  await others.name("z");
  expect(state(others)).toEqual([["z"], false]);
  expect(seen).toEqual([
    [[], false],
    [[], true],
    [["a"], false],
    [["a"], false],
    [["a", "b"], true],
    [["a", "b", "c"], true],
    [["b", "c"], true],
  ]);
});

it("a file of requests without unnamed ones has none, and a damaged file is an error", async () => {
  const folder = outbox();
  const path = join(folder, "requests.json");
  writeFileSync(path, '{"open":["a"]}');
  expect(state(openRequests(folder))).toEqual([["a"], false]);
  await openRequests(folder).remove("a");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ open: [], unnamed: false });
  writeFileSync(path, '{"open":"a"}');
  expect(() => openRequests(folder)).toThrow(/requests\.json cannot be read; it lists requests/);
});
