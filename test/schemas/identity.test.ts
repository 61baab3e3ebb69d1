import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { catalog } from "../../schemas/generated/catalog.ts";

const text = readFileSync(new URL("../../schemas/identity.json", import.meta.url), "utf8");
const { fields } = JSON.parse(text) as { fields: Record<string, string> };

it("the fields of a key are frozen: with others every event would be loaded again", () => {
  const canonical = JSON.stringify(Object.entries(fields).toSorted());
  expect(createHash("sha256").update(canonical).digest("hex")).toBe(
    "182bf7510ef1ccca3f53a446b158312f995317f62abbd4379e0dc04c7a20a0e7",
  );
});

it("every known field is in the key: a field that is known later must become part of content_text", () => {
  expect(Object.keys(catalog.fields).toSorted()).toEqual(Object.keys(fields).toSorted());
});
