import fc from "fast-check";
import { expect, it } from "vitest";
import { readLines } from "../../../../pipeline/core/sandbox/row-lines.ts";

async function linesIn(chunks: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  const stream = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  })();
  for await (const batch of readLines(stream)) lines.push(...batch);
  return lines;
}

function cutAt(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(start, start + size));
    start += size;
  }
  return [...chunks, bytes.subarray(start)].filter((chunk) => chunk.length > 0);
}

it("lines are found with any cuts of the bytes", async () => {
  const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "\u2028"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.array(fc.integer({ min: 1, max: 9 })),
      async (lines, sizes) => {
        const written = lines.map((text) => Buffer.from(text).toString());
        const bytes = Buffer.from(written.map((text) => `${text}\n`).join(""));
        expect(await linesIn(cutAt(bytes, sizes))).toEqual(written);
      },
    ),
    { numRuns: 300, seed: 7 },
  );
});

it("an incomplete last line is dropped", async () => {
  expect(await linesIn([Buffer.from("a\nb"), Buffer.from("c")])).toEqual(["a"]);
});
