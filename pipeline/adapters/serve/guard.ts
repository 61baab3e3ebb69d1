import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

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
export function hostOf(random: string, port: number): string {
  // They leave out the usual port.
  return `auditlake-${random}.localhost${port === 80 ? "" : `:${port}`}`;
}

const cookieName = "auditlake";
const methods = ["GET", "HEAD", "POST"];

/**
 * Lets pass what comes to this server by its own name, with the token, and where it changes something from a page of
 * its own. Anything else ends here. The token in the address becomes a cookie that scripts do not see.
 */
export function guard(door: Door): MiddlewareHandler {
  return async (context, next) => {
    const { token, host } = door;
    const { req } = context;
    secure(context);
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
