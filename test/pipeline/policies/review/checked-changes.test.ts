import { expect, test } from "vitest";
import {
  sendChanges,
  type PolicyChange,
} from "../../../../pipeline/policies/review/checked-changes.ts";
import type { Review } from "../../../../pipeline/policies/review/kept-decisions.ts";
import type { Client } from "../../../../pipeline/source/client.ts";
import { testWorld } from "../../../support/world.ts";

const ids = ["1", "2", "3", "4"];

// A service of which one policy cannot be read; the others hold nothing that a review would take.
function changesWith(broken: string): PolicyChange[] {
  const get = async (path: string, _: object, read: (answer: { body: Buffer }) => unknown) => {
    await Promise.resolve();
    if (path.includes(`/${broken}/`)) throw new Error("the service is gone");
    return read({ body: Buffer.from('{"Databases":[{"operation":"query","ids":"1"}]}') });
  };
  const target = {
    client: { get } as unknown as Client,
    settings: { flags: {} },
    source: { name: "default" },
  };
  return ids.map((id) => ({ target: { ...target, id }, taken: [] })) as unknown as PolicyChange[];
}

test.each(ids.map((id, at) => [id, ids.slice(at + 1)] as const))(
  "where sending stops at policy %s, those that were not sent yet are named: %j",
  async (broken, left) => {
    const world = testWorld();
    const review = { review_id: "R1" } as Review;
    const sent = sendChanges(changesWith(broken), review, new Map(), { yes: true }, world);
    await expect(sent).rejects.toThrow("the service is gone");
    const warnings = world
      .err()
      .split("\n")
      .filter((line) => line.startsWith("warning: left"));
    expect(warnings).toEqual(
      left.length === 0 ? [] : [`warning: left as they are: policies ${left.join(", ")}`],
    );
  },
);
