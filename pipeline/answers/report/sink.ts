import { once } from "node:events";

/** Takes text; resolves when there is room for more. */
export type Sink = (text: string) => Promise<void>;

/** A sink on a stream that waits while the reader is slow; rejects when the signal aborts. */
export function streamSink(stream: NodeJS.WritableStream, signal?: AbortSignal): Sink {
  return async (text) => {
    if (!stream.write(text)) await once(stream, "drain", signal ? { signal } : {});
  };
}
