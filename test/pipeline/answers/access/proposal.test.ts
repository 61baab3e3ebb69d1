import { expect, test } from "vitest";
import type { Right } from "../../../../pipeline/answers/access/least.ts";
import { buildProposedSet, type Proposal } from "../../../../pipeline/answers/access/proposal.ts";

test("the ids of a proposed set are sorted as numbers, also beyond the range of a double", () => {
  const rising = ["2", "9", "11", "12", "9007199254740992", "9007199254740993"];
  for (const ids of [rising, rising.toReversed()]) {
    const proposed = ids.map((id): Right => ({ operation: "query", id }));
    expect(buildProposedSet({ proposed } as unknown as Proposal)).toEqual({
      Databases: [{ operation: "query", ids: rising.join(",") }],
    });
  }
});
