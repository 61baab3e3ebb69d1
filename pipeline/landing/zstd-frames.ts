// A zstd file may be several frames one after the other, as parallel packers and `cat` make them. The decoder
// passes over what follows a frame inside one write, so each write must end where a frame does.

const dictionaryBytes = [0, 1, 2, 4];
const contentSizeBytes = [0, 2, 4, 8];

/** Reads a step of a frame from the bytes it asked for and says how many bytes the next step needs. */
type Step = {
  /** Bytes that must be there for this step. */
  readonly need: number;
  /** Undefined where the step ends the frame. */
  readonly next: ((bytes: Buffer) => Step) | undefined;
};

/** The same bytes, cut where a frame ends; what is no frame passes as it is, for the decoder to refuse. */
export async function* cutAtFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let step: Step = frameStart;
  let seen: Buffer[] = [];
  let missing = step.need;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length;) {
      const length = Math.min(missing, chunk.length - at);
      // Only the few bytes that a step reads are kept; the content of a block is passed over.
      if (step.need <= keptBytes) seen.push(chunk.subarray(at, at + length));
      at += length;
      missing -= length;
      if (missing > 0) break;
      const ended: boolean = step.next === undefined;
      step = step.next?.(Buffer.concat(seen)) ?? frameStart;
      seen = [];
      missing = step.need;
      if (!ended) continue;
      yield chunk.subarray(from, at);
      from = at;
    }
    if (from < chunk.length) yield chunk.subarray(from);
  }
}

const keptBytes = 16;
