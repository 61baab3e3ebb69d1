// A zstd file may be several frames one after the other, as parallel packers and `cat` make them. The decoder
// passes over what follows a frame inside one write, so no write may go past the end of a frame (RFC 8878).

/** A step through a frame: `next` gets the bytes it needs; undefined after the last step of the frame. */
type Step = {
  readonly need: number;
  readonly next: (bytes: Buffer) => Step | undefined;
};

const mostRead = 4;

/** The same bytes, split where a frame ends; what is no frame passes as it is, for the decoder to refuse. */
export async function* splitAtFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let step = frame;
  let missing = step.need;
  let read: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length;) {
      const end = Math.min(at + missing, chunk.length);
      if (step.need <= mostRead) read.push(chunk.subarray(at, end));
      missing -= end - at;
      at = end;
      if (missing > 0) break;
      const next = step.next(Buffer.concat(read));
      if (next === undefined) {
        yield chunk.subarray(start, at);
        start = at;
      }
      step = next ?? frame;
      missing = step.need;
      read = [];
    }
    if (start < chunk.length) yield chunk.subarray(start);
  }
}

const frame: Step = {
  need: 4,
  next: (bytes) => {
    const magic = bytes.readUInt32LE();
    if (magic === 0xfd2fb528) return { need: 1, next: ([first = 0]) => header(first) };
    if (magic >>> 4 === 0x184d2a5)
      return { need: 4, next: (size) => skip(size.readUInt32LE(), undefined) };
    return { need: Infinity, next: () => undefined };
  },
};

function header(descriptor: number): Step | undefined {
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const blocks = block((descriptor & 4) !== 0);
  return skip((isSingle ? 0 : 1) + dictionaryBytes + sizeBytes, blocks);
}

function block(hasChecksum: boolean): Step {
  const next = (bytes: Buffer): Step | undefined => {
    const head = bytes.readUIntLE(0, 3);
    const isRepeat = ((head >> 1) & 3) === 1;
    const end = hasChecksum ? skip(4, undefined) : undefined;
    return skip(isRepeat ? 1 : head >> 3, (head & 1) === 0 ? block(hasChecksum) : end);
  };
  return { need: 3, next };
}

function skip(count: number, after: Step | undefined): Step | undefined {
  return count === 0 ? after : { need: count, next: () => after };
}
