import { expect, test } from "vitest";
import {
  chooseFileNames,
  type Holding,
  findOwner,
} from "../../../../../pipeline/answers/access/review/item.ts";

const holding = {
  policyId: "7",
  policyName: "Staff",
  kind: "Databases",
  objectId: "1",
  objectName: "sales",
} as Holding;
const owners = { account: "chief", policies: {}, databases: {} };

test.each<
  [policies: object, databases: object, change: object, creator: string | null, owner: string]
>([
  [{ staff: "a" }, { sales: "b" }, {}, "c", "a"],
  [{ "7": "a" }, {}, {}, "c", "a"],
  [{}, { SALES: "b" }, {}, "c", "b"],
  [{}, { "1": "b" }, {}, null, "b"],
  [{}, { sales: "b" }, { kind: "Journeys" }, "c", "c"],
  [{ staff: "a" }, {}, { policyId: null, policyName: null }, null, "chief"],
  [{}, {}, {}, "c", "c"],
  [{}, {}, {}, null, "chief"],
])(
  "for policies of %j and databases of %j, with %j made by %j, %s decides",
  (policies, databases, change, creator, owner) => {
    const named = { ...owners, policies, databases } as Parameters<typeof findOwner>[2];
    expect(findOwner({ ...holding, ...change }, creator, named)).toBe(owner);
  },
);

test("each owner has a separate file, with any letters in their names", () => {
  const names = ["Ann@Example.com", "ann@example.com", "../é/x", "***", "!", "x".repeat(150)];
  const found = chooseFileNames(names);
  expect(found.get("Ann@Example.com")).toBe("ann@example.com.csv");
  expect(found.get("ann@example.com")).toBe("ann@example.com-2.csv");
  expect(found.get("../é/x")).toBe("é_x.csv");
  expect([found.get("!"), found.get("***")]).toEqual(["owner.csv", "owner-2.csv"]);
  expect(found.get("x".repeat(150))).toBe(`${"x".repeat(100)}.csv`);
});
