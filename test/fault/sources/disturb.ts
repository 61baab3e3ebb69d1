import type { ServerResponse } from "node:http";
import type { Random } from "../../../fixtures/random.ts";
import { buildBody } from "./body.ts";
import type { Manners } from "./plan.ts";

const limited = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1" };

/** A fault that passes: a reader may ask again, and must not take the answer for a page. */
export function makeFault(random: Random, manners: Manners): (response: ServerResponse) => void {
  const { headers, bytes } = buildBody(
    ['{"time":1,"event_name":"from a broken page"}'],
    manners,
    null,
  );
  return random.pick<(response: ServerResponse) => void>([
    (response) => response.writeHead(random.pick([408, 425, 500, 502, 503, 504])).end(),
    (response) => response.writeHead(429, { "Retry-After": "1" }).end("slow down"),
    (response) => response.writeHead(202, { "Retry-After": "1" }).end("later"),
    (response) =>
      response.writeHead(403, random.pick([{ "Retry-After": "1" }, limited])).end("slow down"),
    (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<html></html>"),
    (response) => response.socket?.resetAndDestroy(),
    (response) => {
      // Said to be longer than it is.
      response.writeHead(200, { ...headers, "Content-Length": bytes.length + 9 }).write(bytes);
      setImmediate(() => response.destroy());
    },
    (response) => {
      // Chunks without the last one.
      response.writeHead(200, headers).write(bytes);
      setImmediate(() => response.destroy());
    },
  ]);
}
