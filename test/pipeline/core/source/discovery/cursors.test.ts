import { expect, test } from "vitest";
import { findCursor } from "../../../../../pipeline/core/source/discovery/paging-styles.ts";
import { newAsker, groundOn, records, type Service } from "./answers.ts";

const size = 5;

// Pages by `cursor`, each with some of the records of the page before.
const sharing =
  (again: number): Service =>
  ({ cursor = "p0" }) => {
    const page = Number(cursor.slice(1));
    const start = page * (size - again);
    return { next_cursor: `p${page + 1}`, audits: records.slice(start, start + size) };
  };

test.each([0, 1, 2, 4])(
  "a page is a next page if at most a fifth of it was there before: %i of 5",
  async (again) => {
    const service = sharing(again);
    const ground = groundOn(service);
    const lead = { path: "next_cursor", value: "p1" };
    const found = await findCursor(newAsker(service), ground, lead, ground.audits.paging);
    const cursor = { style: "cursor", param: "cursor", next_at: "next_cursor" };
    expect(found).toEqual(again <= 1 ? cursor : undefined);
  },
);
