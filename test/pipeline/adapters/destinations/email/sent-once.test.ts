import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  openLedger,
  newLedger,
  type Entry,
  type Ledger,
} from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { temporaryFolder } from "../../../../support/load.ts";
import { startMailServer, type MailServer } from "../../../../support/mail-server.ts";
import { deliver, people } from "./setting.ts";

// What a killed process leaves is what its ledger holds at the moment at which the server has the message.

let server: MailServer;
let written: Entry[];
let left: Entry[];
let answer: "take" | "refuse" | "later";
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => void (folder = temporaryFolder()));
afterAll(() => folder.remove());
beforeEach(async () => {
  [written, left, answer] = [[], [], "take"];
  server = await startMailServer({}, () => {
    left = [...written];
    return answer;
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const buildLedger = (before: Iterable<Entry> = []): Ledger =>
  newLedger(before, (entry) => Promise.resolve(void written.push(entry)));

const perhaps = { accepted: 0, refused: 0, uncertain: 3, outcome: "partial" };

test("a message that a killed process was sending is not sent again, and its rows perhaps arrived", async () => {
  await deliver(server, people(3), {}, { ledger: buildLedger() });
  const ledger = newLedger(left);
  expect(await deliver(server, people(3), {}, { ledger })).toMatchObject(perhaps);
  expect(ledger.getReason(1)).toBe("an earlier attempt started sending and got no answer");
  expect(server.arrived).toHaveLength(1);
  const resent = await deliver(server, people(3), {}, { ledger, resendUncertain: true });
  expect(resent).toMatchObject({ accepted: 3, uncertain: 0, outcome: "delivered" });
  expect(server.arrived).toHaveLength(2);
});

test("a refused message that a killed process retried is no longer reported as refused", async () => {
  answer = "refuse";
  await deliver(server, people(3), {}, { ledger: buildLedger() });
  answer = "take";
  const again = { retryRefused: true };
  await deliver(server, people(3), {}, { ledger: buildLedger(written), ...again });
  expect(server.arrived).toHaveLength(1);
  const after = await deliver(server, people(3), {}, { ledger: newLedger(left), ...again });
  expect(after).toMatchObject(perhaps);
  expect(server.arrived).toHaveLength(1);
});

test("a message whose outcome is recorded keeps it, even if the process ended right after", async () => {
  await deliver(server, people(3), {}, { ledger: buildLedger() });
  const outcome = written.findIndex((entry) => "rows" in entry && entry.state === "accepted");
  const ledger = newLedger(written.slice(0, outcome + 1));
  expect(await deliver(server, people(3), {}, { ledger })).toMatchObject({
    accepted: 3,
    outcome: "delivered",
  });
});

test.each([
  ["is put off by the server", {}, /temporarily rejected the message \(451\)/],
  ["never left", { security: "tls", ca_file: "/nowhere/ca.pem" }, /cannot be read/],
])("a message that %s is sent by the next run", async (_, more, why) => {
  answer = "later";
  const ledger = buildLedger();
  await expect(deliver(server, people(3), more, { ledger })).rejects.toThrow(why);
  answer = "take";
  expect(await deliver(server, people(3), {}, { ledger: newLedger(written) })).toMatchObject({
    accepted: 3,
  });
  expect(server.arrived).toHaveLength(1);
});

test("the start of a message is on disk before it is sent", async () => {
  await using file = await open(join(folder.path, "any"), "w");
  const syncs = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, "datasync");
  await using ledger = await openLedger(join(folder.path, "kept.ndjson"));
  const before = syncs.mock.calls.length;
  await deliver(server, people(3), {}, { ledger });
  expect(syncs.mock.calls.length - before).toBe(1);
  syncs.mockRestore();
});
