import type { World } from "../../base/world.ts";

type Stream = World["stderr"];

/** A stream on which a line stands before the first that is written, and on which nothing stands while nothing is. */
export function headed(stream: Stream, heading: string): Stream {
  let isWritten = false;
  const write: Stream["write"] = (text: string | Uint8Array, ...rest: unknown[]) => {
    if (!isWritten) stream.write(`${heading}\n`);
    isWritten = true;
    return (stream.write as (...all: unknown[]) => boolean)(text, ...rest);
  };
  // The rest of it is the stream's own, such as its width.
  return Object.assign(Object.create(stream) as Stream, { write });
}
