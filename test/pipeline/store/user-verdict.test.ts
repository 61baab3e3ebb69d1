import { expect, it } from "vitest";
import { type UserCounts, verdictOnUsers } from "../../../pipeline/store/user-verdict.ts";

const none: UserCounts = { listed: 90, inForce: 100, lacking: 0, missing: 0, stillMissing: 0 };

it.each<[string, Partial<UserCounts>, string, string]>([
  ["an empty list after one that was not", { listed: 0, lacking: 100 }, "empty", "none"],
  [
    "an empty list, however often",
    { listed: 0, lacking: 9, missing: 9, stillMissing: 9 },
    "empty",
    "none",
  ],
  ["an empty list at first", { listed: 0, inForce: 0 }, "whole", "all"],
  ["a tenth that left", { lacking: 10 }, "whole", "all"],
  ["more than a tenth", { lacking: 11 }, "loss", "none"],
  ["two of nine", { inForce: 9, lacking: 2 }, "whole", "all"],
  ["three of nine", { inForce: 9, lacking: 3 }, "loss", "none"],
  ["two of ten", { inForce: 10, lacking: 2 }, "loss", "none"],
  ["a loss that is agreed to", { lacking: 20, missing: 20, stillMissing: 20 }, "whole", "all"],
  ["one of which a tenth is back", { lacking: 18, missing: 20, stillMissing: 18 }, "whole", "all"],
  ["one of which more is back", { lacking: 17, missing: 20, stillMissing: 17 }, "loss", "none"],
  [
    "a tenth more than were missing",
    { lacking: 30, missing: 20, stillMissing: 20 },
    "whole",
    "all",
  ],
  ["more than that", { lacking: 31, missing: 20, stillMissing: 20 }, "loss", "missing_before"],
])("judges %s", (_, counts, verdict, ends) => {
  expect(verdictOnUsers({ ...none, ...counts }, [])).toEqual({ verdict, ends });
});

it("lets nobody end by a list that something speaks against", () => {
  expect(verdictOnUsers(none, ["status"])).toEqual({ verdict: "faulty", ends: "none" });
});
