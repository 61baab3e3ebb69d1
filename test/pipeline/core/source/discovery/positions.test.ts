import { expect, test } from "vitest";
import { findPosition } from "../../../../../pipeline/core/source/discovery/paging-styles.ts";
import {
  readSeen,
  type SeenAnswer,
} from "../../../../../pipeline/core/source/discovery/read-answer.ts";
import { buildAnswer, newAsker, groundOn, records, type Service } from "./answers.ts";

const size = 5;

test.each([0, 1, 2, 4])(
  "a page is a different one if at most a fifth of it was there before: %i of 5",
  async (again) => {
    const service: Service = ({ page = "1" }) => {
      const start = (Number(page) - 1) * (size - again);
      return records.slice(start, start + size);
    };
    const ground = groundOn(service);
    const found = await findPosition(newAsker(service), ground, ground.audits.paging);
    const byPage = { style: "page", param: "page", first: 1 };
    expect(found).toEqual(again <= 1 ? byPage : undefined);
  },
);

test("a place that was not requested proves nothing about the service", async () => {
  const { records: reference } = readSeen(buildAnswer(records), null) as SeenAnswer;
  for (const place of [11, 13, 21, 22, 24, 26, 38]) {
    const service: Service = ({ limit }) =>
      limit === undefined ? records : records.slice(place, place + 2);
    const ground = groundOn(service, { reference, sizeParam: "limit", size: 10 });
    const found = await findPosition(newAsker(service), ground, ground.audits.paging);
    expect([place, found]).toEqual([place, undefined]);
  }
});
