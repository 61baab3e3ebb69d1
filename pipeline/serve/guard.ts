import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

/** Who may ask: whoever brings the token that was printed at the start, from a page of this server's own. */
export type Door = {
  readonly token: string;
  /** Names that the server goes by, with the port, as `Host` has them. */
  readonly hosts: readonly string[];
};

/** The names of this server on a port, as `Host` has them; browsers leave out the port that is usual. */
export function hostsOf(port: number): string[] {
  const names = ["127.0.0.1", "localhost"];
  return [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
}

const methods = ["GET", "HEAD", "POST"];

/**
 * Lets pass what comes to this server by its own name, with the token, and where it changes something from a page of
 * its own. Anything else ends here. The token in the address becomes a cookie that scripts do not see.
 */
export function guard({ token, hosts }: Door): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    secure(context);
    if (!hosts.includes(req.header("host") ?? ""))
      return context.text("this server answers on its own address alone", 421);
    if (!methods.includes(req.method)) return context.text("only GET and POST are known", 405);
    const origin = req.header("origin");
    const isForeign = origin !== undefined && !hosts.some((host) => origin === `http://${host}`);
    if (isForeign || (req.method === "POST" && origin === undefined))
      return context.text("this came from another page", 403);
    const given = req.query("token");
    if (given !== undefined && isSame(given, token)) {
      setCookie(context, cookieName(hosts), token, {
        httpOnly: true,
        sameSite: "Strict",
        path: "/",
      });
      return context.redirect("/", 303);
    }
    if (isSame(getCookie(context, cookieName(hosts)) ?? "", token)) return next();
    return context.text("open the address that auditlake serve printed; it holds the token", 403);
  };
}

// Cookies do not tell ports apart.
function cookieName(hosts: readonly string[]): string {
  return `auditlake-${hosts[0]?.split(":")[1] ?? ""}`;
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function secure(context: Parameters<MiddlewareHandler>[0]): void {
  context.header("Content-Security-Policy", "frame-ancestors 'none'");
  context.header("X-Frame-Options", "DENY");
  context.header("X-Content-Type-Options", "nosniff");
  // Without any referrer a browser does not say either that a form came from here.
  context.header("Referrer-Policy", "same-origin");
  context.header("Cross-Origin-Opener-Policy", "same-origin");
  context.header("Cross-Origin-Resource-Policy", "same-origin");
  context.header("Cache-Control", "no-store");
}
