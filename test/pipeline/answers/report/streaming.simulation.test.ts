import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderRows } from "../../../../pipeline/answers/report/formats.ts";
import { runStatement } from "../../../../pipeline/base/sql/select.ts";
import { newStreamSink } from "../../../../pipeline/answers/report/result.ts";
import { replaceFile } from "../../../../pipeline/answers/report/write.ts";
import { memoryDatabase, plain, temporaryFolder } from "./support.ts";
import { Writable } from "node:stream";

const rows = 200_000;
const sql = `
select
    range as n, md5(range::varchar) as event_key,
    timestamp '2026-01-01' + interval (range) second as event_time, '=' || range as risky
from range(${rows}) order by n`;

test("200,000 rows go to a file batch by batch", async () => {
  const connection = await memoryDatabase();
  const path = join(temporaryFolder(), "big.csv");
  let [pieces, longest] = [0, 0];
  const written = await replaceFile(path, async (draft) => {
    const result = await runStatement(connection, plain(sql));
    return renderRows("csv", result, (text) => {
      pieces++;
      longest = Math.max(longest, text.length);
      return draft.sink(text);
    });
  });
  expect(written).toBe(rows);
  expect(pieces).toBeGreaterThan(rows / 2048);
  expect(longest).toBeLessThan(512 * 1024);
  expect(await readLines(path)).toBe(rows + 1);
}, 30_000);

test("a slow reader slows the query down instead of filling the memory", async () => {
  const connection = await memoryDatabase();
  const hash = createHash("sha256");
  let most = 0;
  const slow: Writable = new Writable({
    highWaterMark: 64 * 1024,
    write: (piece: Buffer, _encoding, done) => {
      hash.update(piece);
      most = Math.max(most, slow.writableLength);
      setImmediate(done);
    },
  });
  const result = await runStatement(connection, plain(sql));
  expect(await renderRows("ndjson", result, newStreamSink(slow))).toBe(rows);
  expect(most).toBeLessThan(1024 * 1024);
}, 30_000);

async function readLines(path: string): Promise<number> {
  let lines = 0;
  for await (const piece of createReadStream(path, "utf8"))
    lines += (piece as string).split("\n").length - 1;
  return lines;
}
