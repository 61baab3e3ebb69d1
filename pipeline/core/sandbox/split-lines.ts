/**
 * The complete lines of a byte stream, as many at a time as have arrived. Text after the last line feed is dropped,
 * since its end never came. Splits at line feeds alone: other readers also split at U+2028, which JSON leaves as it is.
 */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let pending: Buffer[] = [];
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf(10);
    if (end === -1) {
      pending.push(chunk);
      continue;
    }
    const text = Buffer.concat([...pending, chunk.subarray(0, end)]).toString("utf8");
    pending = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
    yield text.split("\n");
  }
}
