import { createAdaptorServer } from "@hono/node-server";
import type { Hono, MiddlewareHandler } from "hono";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AuditlakeError, isCode } from "../../base/errors.ts";
import { timingSafeEqual } from "node:crypto";
import { getCookie, setCookie } from "hono/cookie";

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

/** Who may ask: the browser that brings the token printed at the start, from a page of this server. */
export type Door = {
  readonly token: string;
  /** The name of this server with the port, as `Host` has it; set once the server listens. */
  readonly host: string;
};

/**
 * A host of this server alone, as `Host` has it. Browsers send the cookies of a host to every port of it, so under a
 * shared one such as 127.0.0.1 any other listener would get the token. They resolve names below `localhost` themselves.
 */
export function chooseHost(random: string, port: number): string {
  // They leave out the usual port.
  return `auditlake-${random}.localhost${port === 80 ? "" : `:${port}`}`;
}

const cookieName = "auditlake";
const methods = ["GET", "HEAD", "POST"];

/**
 * Lets pass what comes to this server by its own name, with the token, and where it changes something from a page of
 * its own. Anything else ends here. The token in the address becomes a cookie that scripts do not see.
 */
export function newGuard(door: Door): MiddlewareHandler {
  return async (context, next) => {
    const { token, host } = door;
    const { req } = context;
    secureHeaders(context);
    if (req.header("host") !== host)
      return context.text(
        "open the address that auditlake serve printed; no other is answered",
        421,
      );
    if (!methods.includes(req.method)) return context.text("only GET and POST are known", 405);
    const origin = req.header("origin");
    const isForeign = origin !== undefined && origin !== `http://${host}`;
    if (isForeign || (req.method === "POST" && origin === undefined))
      return context.text("this came from another page", 403);
    const given = req.query("token");
    if (given !== undefined && isSame(given, token)) {
      setCookie(context, cookieName, token, {
        httpOnly: true,
        sameSite: "Strict",
        path: "/",
      });
      return context.redirect("/", 303);
    }
    if (isSame(getCookie(context, cookieName) ?? "", token)) return next();
    return context.text("open the address that auditlake serve printed; it holds the token", 403);
  };
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function secureHeaders(context: Parameters<MiddlewareHandler>[0]): void {
  context.header("Content-Security-Policy", "frame-ancestors 'none'");
  context.header("X-Frame-Options", "DENY");
  context.header("X-Content-Type-Options", "nosniff");
  // Without any referrer a browser does not say either that a form came from here.
  context.header("Referrer-Policy", "same-origin");
  context.header("Cross-Origin-Opener-Policy", "same-origin");
  context.header("Cross-Origin-Resource-Policy", "same-origin");
  context.header("Cache-Control", "no-store");
}
