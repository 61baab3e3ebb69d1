import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { readFilePages } from "../../../pipeline/core/import/pages.ts";
import { watchBytes } from "../../../pipeline/core/import/bytes.ts";
import { temporaryFolder } from "../../support/load.ts";

// Files of records in every form are cut into pages between records, however long they are.

const folder = temporaryFolder();
afterAll(folder.remove);
const megabyte = 1024 * 1024;

type Fields = { readonly time: string; readonly event_name: string; readonly query_text: string };

function listRecords(count: number, textLength: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({
    time: String(i),
    event_name: 'é, "quoted"',
    query_text: `a\r\n},{"b":[${"x".repeat(textLength)}`,
  }));
}

describe("a file", () => {
  it.each([
    ["array", 190, "[", ",", "]"],
    ["envelope", 190, '{"audits":[', ",", '],"next":null}'],
    ["lines", 190, "", "\n", "\n"],
    ["objects one after the other", 190, "", "", ""],
    ["pages in an envelope", 190, '{"pages":[{"audits":[', ",", "]}]}"],
  ])("is read in the same memory at any length (%s)", async (_form, size, open, between, close) => {
    const record = JSON.stringify(listRecords(1, 10_000)[0]);
    const path = join(folder.path, "long.zst");
    const text = `${record}${between}`.repeat(size * 106);
    writeFileSync(path, zstdCompressSync(`${open}${text}${record}${close}`));
    const before = process.memoryUsage().rss;
    let most = 0;
    let total = 0;
    for await (const { bytes } of readFilePages(
      path,
      watchBytes(() => undefined),
    )) {
      total += bytes.length;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(total).toBeGreaterThan(size * megabyte);
    expect(most).toBeLessThan(size * 0.8 * megabyte);
  });
});
