import { expect, it } from "vitest";
import { type UserCounts, judgeUsers } from "../../../../pipeline/core/store/user-readings.ts";

const none: UserCounts = {
  listed: 90,
  inForce: 100,
  settled: 100,
  settledMissing: 0,
  absent: 0,
  missing: 0,
  stillMissing: 0,
};

function half(missing: number, settled: number): Partial<UserCounts> {
  const all = { absent: missing, missing, stillMissing: missing };
  return { ...all, settled, settledMissing: missing };
}

it.each<[string, Partial<UserCounts>, string, string]>([
  ["an empty list after one that was not", { listed: 0, absent: 100 }, "empty", "none"],
  [
    "an empty list, however often",
    { listed: 0, absent: 9, missing: 9, stillMissing: 9 },
    "empty",
    "none",
  ],
  ["an empty list at first", { listed: 0, inForce: 0 }, "whole", "all"],
  ["a tenth that left", { absent: 10 }, "whole", "all"],
  ["more than a tenth", { absent: 11 }, "loss", "none"],
  ["two of nine", { inForce: 9, absent: 2 }, "whole", "all"],
  ["three of nine", { inForce: 9, absent: 3 }, "loss", "none"],
  ["two of ten", { inForce: 10, absent: 2 }, "loss", "none"],
  ["a loss that is agreed to", { absent: 20, missing: 20, stillMissing: 20 }, "whole", "all"],
  ["one of which a tenth is back", { absent: 18, missing: 20, stillMissing: 18 }, "whole", "all"],
  ["one of which more is back", { absent: 17, missing: 20, stillMissing: 17 }, "loss", "none"],
  ["a tenth more than were missing", { absent: 30, missing: 20, stillMissing: 20 }, "whole", "all"],
  ["half of the users", { absent: 50, settledMissing: 50 }, "loss", "none"],
  ["more than half, though agreed to", half(51, 100), "held_back", "undecided"],
  ["more than half of few", { ...half(9, 9), inForce: 9 }, "whole", "all"],
  ["more than half of ten", { ...half(10, 10), inForce: 10 }, "held_back", "undecided"],
  [
    "more than half, among many who came with a list that was held back",
    { inForce: 200, absent: 60, settled: 100, settledMissing: 60 },
    "held_back",
    "undecided",
  ],
  ["more than that", { absent: 31, missing: 20, stillMissing: 20 }, "loss", "missing_before"],
])("the verdict on %s is right", (_, counts, verdict, ends) => {
  expect(judgeUsers({ ...none, ...counts }, [])).toEqual({ verdict, ends });
});

it("a list with contradicting signs ends no user", () => {
  expect(judgeUsers(none, ["status"])).toEqual({ verdict: "faulty", ends: "none" });
});

it("an accepted list ends all missing users, even if it is empty", () => {
  for (const counts of [half(90, 100), { listed: 0, absent: 100 }])
    expect(judgeUsers({ ...none, ...counts }, [], true)).toEqual({
      verdict: "accepted",
      ends: "all",
    });
});
