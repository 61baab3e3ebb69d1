import { expect, test } from "vitest";
import type { Right } from "../../../../pipeline/answers/access/least.ts";
import { buildProposedSet, type Proposal } from "../../../../pipeline/answers/access/proposal.ts";

test("the ids of a proposed set rise as numbers do, also beyond those that a number keeps", () => {
  const rising = ["2", "9", "11", "12", "9007199254740992", "9007199254740993"];
  for (const ids of [rising, rising.toReversed()]) {
    const proposed = ids.map((id): Right => ({ operation: "query", id }));
    expect(buildProposedSet({ proposed } as unknown as Proposal)).toEqual({
      Databases: [{ operation: "query", ids: rising.join(",") }],
    });
  }
});
