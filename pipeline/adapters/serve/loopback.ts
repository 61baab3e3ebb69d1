import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AuditlakeError, isCode } from "../../base/errors.ts";

type Server = ReturnType<typeof createAdaptorServer>;

/** An application that answers on the loopback addresses; disposing it ends every connection. */
export type Listening = Disposable & {
  readonly port: number;
  /** Calls back with what goes wrong later, for example with too many open files. */
  readonly onError: (print: (message: string) => void) => void;
};

const tries = 5;

// A page of many parts opens many connections at once; the usual 511 would reset some on a busy machine.
const backlog = 4096;

/**
 * Answers on a port of both loopback addresses; 0 takes a free one. Browsers connect to either for names below
 * `localhost`, so another program must not answer on one of them.
 */
export async function listenOnLoopback(app: Hono, port: number): Promise<Listening> {
  for (let left = tries; ; left -= 1) {
    const first = await openServer(app, "127.0.0.1", port);
    const { port: taken } = first.address() as AddressInfo;
    try {
      const second = await openSecond(app, taken);
      return listeningOf(taken, second === undefined ? [first] : [first, second]);
    } catch (error) {
      close(first);
      if (port !== 0 || left === 1 || !(error instanceof AuditlakeError)) throw error;
    }
  }
}

function listeningOf(port: number, servers: readonly Server[]): Listening {
  return {
    port,
    onError: (print) => {
      for (const server of servers) server.on("error", ({ message }: Error) => print(message));
    },
    [Symbol.dispose]: () => servers.forEach(close),
  };
}

// A machine without IPv6 has no second address, and no browser on it connects to one.
async function openSecond(app: Hono, port: number): Promise<Server | undefined> {
  try {
    return await openServer(app, "::1", port);
  } catch (error) {
    if (isCode(error, "EADDRNOTAVAIL") || isCode(error, "EAFNOSUPPORT")) return undefined;
    throw error;
  }
}

async function openServer(app: Hono, hostname: string, port: number): Promise<Server> {
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen({ host: hostname, port, backlog });
  await once(server, "listening").catch((error: unknown) => {
    if (!isCode(error, "EADDRINUSE") && !isCode(error, "EACCES")) throw error;
    const why = isCode(error, "EADDRINUSE") ? "is in use" : "may not be opened by this user";
    throw new AuditlakeError(`the port ${why} on ${hostname}: choose another with --port`);
  });
  return server;
}

function close(server: Server): void {
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
}
