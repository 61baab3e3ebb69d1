import { expect, it } from "vitest";
import type { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import type { ChangeOutcome } from "../../../../pipeline/answers/access/change.ts";
import { printOutcome } from "../../../../pipeline/answers/access/change-lines.ts";
import { testWorld } from "../../../support/world.ts";

const set = (...ids: string[]) => ({
  Databases: ids.length === 0 ? [] : [{ operation: "query", ids: ids.join(",") }],
});

/** What is thrown with its code, else the code that is set; and what is written. */
function listMessages(outcome: ChangeOutcome, signal = new AbortController().signal) {
  let end: unknown;
  const world = testWorld({ signal, noticed: (notice) => void (end = notice.exitCode) });
  const print = (line: string): void => void world.stdout.write(line);
  try {
    printOutcome("7", outcome, { before: set(), wanted: set("1", "2") }, print, world);
  } catch (error) {
    end = `${(error as AuditlakeError).exitCode} ${(error as Error).message}`;
  }
  return { end, out: world.out(), err: world.err() };
}

const lost =
  "warning: the outcome of the set is unknown (timed out); auditlake did not resend it\n";
const why = "timed out";

it.each<[outcome: ChangeOutcome, end: RegExp | undefined, out: string, err: string]>([
  [{ kind: "in_place" }, undefined, "policy 7 is set and verified", ""],
  [{ kind: "in_place", why }, undefined, "policy 7 is set and verified", lost],
  [
    { kind: "kept_further", kinds: ["Journeys", "Roles"] },
    /^6$/,
    "",
    "warning: policy 7 was set, but the service retains permissions that the set does not name: Journeys, Roles; to remove them, name each with an empty array in a --file\n",
  ],
  [
    { kind: "changed_meanwhile", now: set("3") },
    /^1 policy 7 was changed elsewhere in the meantime; nothing was sent; /,
    "",
    "first read:\n  no permission\nnow:\n  Databases  query  3\n",
  ],
  [
    { kind: "refused", why: "answered 400", refused: "set" },
    /^1 policy 7 is unchanged: the service refused the set; /,
    "",
    "warning: the service refused the set (answered 400); auditlake did not resend it\n",
  ],
  [
    { kind: "refused", why, refused: "key" },
    /^4 policy 7 is .*refused the key; /,
    "",
    "warning: the service refused the set (timed out); auditlake did not resend it\n",
  ],
  [
    { kind: "refused", why, refused: "policy" },
    /^1 policy 7 was not set: .*policy does not exist; /,
    "",
    "warning: the service refused the set (timed out); auditlake did not resend it\n",
  ],
  [
    { kind: "not_in_place" },
    /^1 policy 7 is .* has not applied the set, although it reported success; /,
    "",
    "",
  ],
  [
    { kind: "not_in_place", why },
    /^1 policy 7 is .* has not applied the set yet; check with /,
    "",
    lost,
  ],
  [
    { kind: "differs", now: set("1", "3") },
    /^1 policy 7 now differs from what was sent; /,
    "",
    "read back, compared with the requested set:\n- Databases  query  2\n+ Databases  query  3\n",
  ],
  [
    { kind: "not_read_back", error: "gone" },
    /^1 the set of policy 7 was sent and accepted; it could not be read back: gone; /,
    "",
    "",
  ],
  [
    { kind: "not_read_back", error: "gone", why },
    /^1 .* was sent, but its outcome is unknown; /,
    "",
    lost,
  ],
  [
    { kind: "not_read_back", error: "gone", why, refused: "key" },
    /^4 /,
    "",
    "warning: the service refused the set (timed out); auditlake did not resend it\n",
  ],
])("the outcome of %j is printed", (outcome, end, out, err) => {
  const found = listMessages(outcome);
  expect([found.out, found.err]).toEqual([out, err]);
  if (end === undefined) expect(found.end).toBeUndefined();
  else expect(String(found.end)).toMatch(end);
});

it("Ctrl-C prints what may be in place if nothing else would", () => {
  const { end, err } = listMessages({ kind: "not_read_back", error: "gone" }, AbortSignal.abort());
  expect([end, err]).toEqual([
    130,
    expect.stringMatching(/^error: the set of policy 7 was sent and /),
  ]);
});
