import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AuditlakeError, isCode } from "../../base/errors.ts";

type Application = Pick<Hono, "fetch">;
type Server = ReturnType<typeof createAdaptorServer>;

/** An application that accepts connections; disposing it ends every connection. */
export type Listening = Disposable & {
  readonly port: number;
  /** Calls back with what goes wrong later, for example with too many open files. */
  readonly onError: (print: (message: string) => void) => void;
};

const tries = 5;

// A page of many parts opens many connections at once; the usual 511 would reset some on a busy machine.
const backlog = 4096;

export async function listenOn(
  app: Application,
  address: string,
  port: number,
): Promise<Listening> {
  const server = await openServer(app, address, port).catch((error: unknown) => {
    if (!isCode(error, "EADDRNOTAVAIL")) throw error;
    throw new AuditlakeError(`${address} is not an address of this machine`);
  });
  return newListening((server.address() as AddressInfo).port, [server]);
}

/**
 * Listens on a port of both loopback addresses; 0 takes a free one. Browsers connect to either for names below
 * `localhost`, so another program must not answer on one of them.
 */
export async function listenOnLoopback(app: Application, port: number): Promise<Listening> {
  for (let left = tries; ; left -= 1) {
    const first = await openServer(app, "127.0.0.1", port);
    const { port: taken } = first.address() as AddressInfo;
    try {
      const second = await openSecond(app, taken);
      return newListening(taken, second === undefined ? [first] : [first, second]);
    } catch (error) {
      close(first);
      if (port !== 0 || left === 1 || !(error instanceof AuditlakeError)) throw error;
    }
  }
}

function newListening(port: number, servers: readonly Server[]): Listening {
  return {
    port,
    onError: (print) => {
      for (const server of servers) server.on("error", ({ message }: Error) => print(message));
    },
    [Symbol.dispose]: () => servers.forEach(close),
  };
}

// A machine without IPv6 has no second address, and no browser on it connects to one.
async function openSecond(app: Application, port: number): Promise<Server | undefined> {
  try {
    return await openServer(app, "::1", port);
  } catch (error) {
    if (isCode(error, "EADDRNOTAVAIL") || isCode(error, "EAFNOSUPPORT")) return undefined;
    throw error;
  }
}

const reasons = {
  EADDRINUSE: "the port is in use",
  EACCES: "this user may not open the port",
};

async function openServer(app: Application, hostname: string, port: number): Promise<Server> {
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen({ host: hostname, port, backlog });
  await once(server, "listening").catch((error: unknown) => {
    const code = (["EADDRINUSE", "EACCES"] as const).find((each) => isCode(error, each));
    if (code === undefined) throw error;
    throw new AuditlakeError(`${reasons[code]} on ${hostname}: choose another with --port`);
  });
  return server;
}

function close(server: Server): void {
  server.close();
  if ("closeAllConnections" in server) server.closeAllConnections();
}
