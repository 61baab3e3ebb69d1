import { PassThrough } from "node:stream";
import type { World } from "../../pipeline/base/world.ts";
import { noteOutput } from "./output.ts";

/** A world whose output can be read back; everything can be overridden. */
export type TestWorld = World & { readonly out: () => string; readonly err: () => string };

let worlds = 0;

/**
 * A quiet world at the real time, with a new random seed for each world and sleep that does not wait. Query texts are
 * not parsed and detections not evaluated unless the environment enables it: they take a second each.
 */
export function testWorld(overrides: Partial<World> = {}): TestWorld {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const texts = new Map([stdout, stderr].map((stream) => [stream, [] as Buffer[]]));
  for (const [stream, parts] of texts)
    stream.on("data", (part: Buffer) => {
      parts.push(part);
      noteOutput(part);
    });
  const read = (stream: PassThrough) => (): string =>
    Buffer.concat(texts.get(stream)!).toString("utf8");
  let state = (worlds += 1);
  return {
    stdin: new PassThrough(),
    stdout,
    stderr,
    now: Date.now,
    sleep: () => Promise.resolve(),
    random: () => (state = (state * 48271) % 2147483647) / 2147483647,
    signal: new AbortController().signal,
    out: read(stdout),
    err: read(stderr),
    ...overrides,
    env: { AUDITLAKE_QUERY_TEXTS_TIME_LIMIT: "0s", AUDITLAKE_FINDINGS: "off", ...overrides.env },
  };
}
