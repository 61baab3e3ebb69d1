import { constants, createZstdDecompress, zstdCompressSync, type ZstdOptions } from "node:zlib";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { splitAtFrames } from "../../../../pipeline/core/import/open.ts";

const { ZSTD_c_checksumFlag: checksum, ZSTD_c_compressionLevel: level } = constants;
const content = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.tuple(fc.string(), fc.nat(40_000)).map(([text, count]) => Buffer.from(text.repeat(count))),
);
const options: fc.Arbitrary<ZstdOptions> = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom(1, 3))
  .map(([flag, effort]) => ({ params: { [checksum]: flag, [level]: effort } }));
const skippable = Buffer.from("5a2a4d1802000000abcd", "hex");

function* listPieces(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length]!;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

it("the decoder receives every frame, with any cuts of the bytes", async () => {
  const frames = fc.array(fc.tuple(content, options, fc.boolean()), { minLength: 1, maxLength: 5 });
  const lengths = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(frames, lengths, async (parts, cuts) => {
      const packed = parts.flatMap(([bytes, how, hasSkippable]) => [
        zstdCompressSync(bytes, how),
        ...(hasSkippable ? [skippable] : []),
      ]);
      const pieces = splitAtFrames(Readable.from(listPieces(Buffer.concat(packed), cuts)));
      const found = await buffer(Readable.from(pieces).pipe(createZstdDecompress()));
      expect(found.equals(Buffer.concat(parts.map(([bytes]) => bytes)))).toBe(true);
    }),
    { numRuns: 60, seed: 1 },
  );
});

it("bytes that are not a frame are passed on", async () => {
  const bytes = Buffer.concat([zstdCompressSync("a"), Buffer.from("no frame at all")]);
  const pieces = splitAtFrames(Readable.from(listPieces(bytes, [3])));
  expect((await buffer(Readable.from(pieces))).equals(bytes)).toBe(true);
});
