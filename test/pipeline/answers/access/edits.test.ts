import { expect, it } from "vitest";
import { applyEdits, parseEdit } from "../../../../pipeline/answers/access/wanted-set.ts";

const edits = (texts: readonly string[], flag: string) =>
  texts.map((text) => parseEdit(text, flag));
const apply = (
  entries: readonly object[],
  grant: readonly string[],
  revoke: readonly string[],
): unknown => {
  const set = { Journeys: ["kept"], Databases: entries };
  try {
    const made = { grant: edits(grant, "--grant"), revoke: edits(revoke, "--revoke") };
    const { Databases: after, ...others } = applyEdits(set, made);
    expect(others).toEqual({ Journeys: ["kept"] });
    return after;
  } catch (error) {
    return (error as Error).message;
  }
};
const query = (ids: string) => ({ operation: "query", ids });
const manage = { operation: "manage" };

it.each<[entries: object[], grant: string[], revoke: string[], after: object[]]>([
  [[], ["query:1,2"], [], [query("1,2")]],
  [[], ["manage"], [], [manage]],
  [[query("1")], ["query:1,3", "manage"], [], [query("1,3"), manage]],
  [[query("1"), manage], ["query:1", "manage"], [], [query("1"), manage]],
  [[query("1"), query("2")], ["query:2,3"], [], [query("1,3"), query("2")]],
  [
    [{ operation: "query", id: "1", more: true }],
    ["query:2"],
    [],
    [{ operation: "query", more: true, ids: "1,2" }],
  ],
  [[query("1,2,3"), manage], [], ["query:2"], [query("1,3"), manage]],
  [[query("1,2"), manage], [], ["query:1,2"], [manage]],
  [[query("1"), query("2"), manage], [], ["query"], [manage]],
  [[query("1")], [], ["query:9"], [query("1")]],
  [[query("1")], [], ["manage"], [query("1")]],
  [[query("1")], ["query:2"], ["query:1"], [query("2")]],
])("%j, with %j granted and %j revoked, becomes %j", (entries, grant, revoke, after) => {
  expect(apply(entries, grant, revoke)).toEqual(after);
});

const whole = { operation: "query" };

it.each<[entries: object[], grant: string[], revoke: string[], said: string]>([
  [
    [whole],
    ["query:1"],
    [],
    "--grant query:…: the policy has query without ids, so the effect of this",
  ],
  [[whole], [], ["query:1"], "--revoke query:…: the policy has query without ids, so the effect"],
  [
    [{ operation: "manage", ids: "1" }],
    ["manage"],
    [],
    "--grant manage: the policy has manage on named databases",
  ],
  [
    [],
    ["query:1,2"],
    ["query:2"],
    "query:2 is both granted and revoked; name it under one of the two",
  ],
  [[manage], ["manage"], ["manage"], "manage is both granted and revoked; name it under one"],
  [
    [],
    ["query:x"],
    [],
    '--grant "query:x": "x" is not a database id; auditlake access who x shows',
  ],
  [[], [":1"], [], '--grant ":1": '],
  [[], [], ["fly:1"], "--revoke fly: no such operation; expected one of manage, download, "],
])("%j, %j granted and %j revoked is refused: %s", (entries, grant, revoke, said) => {
  expect(apply(entries, grant, revoke)).toEqual(expect.stringContaining(said));
});
