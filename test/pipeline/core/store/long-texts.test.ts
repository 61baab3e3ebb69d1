import { expect, it } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

// One text that is longer than 16 kB takes the whole column from what compresses short ones.

const random = newRandom(1, "long texts");
const formatLine = (): string =>
  `select ${random.uuid()}, td_time_range(time) from orders_${random.int(1, 9)} where day = 3\n`;
const formatText = (lines: number): string => Array.from({ length: lines }, formatLine).join("");

it("texts of queries are compressed, also beside long ones, and read unchanged", async () => {
  using home = await homeWithWarehouse();
  const texts = Array.from({ length: 4000 }, (_, i) => formatText(i % 500 === 7 ? 400 : 3));
  const records = texts.map((text, i) => ({
    time: 1_767_225_600 + i,
    event_name: "job_issue",
    resource_id: `${i}`,
    query_text: text,
  }));
  expect((await home.load(records)).code).toBe(0);
  const ways = await home.rows(
    "select distinct compression from pragma_storage_info('event_rows') where column_name = 'query_text' and segment_type = 'VARCHAR'",
  );
  expect(ways).toEqual([{ compression: "ZSTD" }]);
  const held = await home.rows("select query_text from events order by event_time");
  expect(held.map((row) => row["query_text"])).toEqual(texts);
});
