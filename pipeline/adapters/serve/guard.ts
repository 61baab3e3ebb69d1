import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { runAsVisitor, type Visitor } from "./visitor.ts";

/** Who is admitted, and under which address. */
export type Door = {
  /** Name of this server with its port, as `Host` has it; set once the server listens. */
  readonly host: string;
  /** What `Origin` has on forms of this server's pages. */
  readonly origin: string;
  /** Returns the visitor, or the response that ends the request. */
  readonly admit: (context: Context) => Visitor | Response;
};

const methods = ["GET", "HEAD", "POST"];

/**
 * Passes requests for this server's own name that the door admits; forms have to come from a page of this server.
 * Every other request ends here.
 */
export function newGuard(door: Door): MiddlewareHandler {
  return async (context, next) => {
    secureHeaders(context);
    const [host, ...others] = listHeaderValues(context, "host");
    if (host?.toLowerCase() !== door.host || others.length > 0)
      return context.text(`this address is not served; open ${door.origin}`, 421);
    if (!methods.includes(context.req.method))
      return context.text("only GET and POST are allowed", 405);
    const origins = listHeaderValues(context, "origin");
    const isForeign = origins.some((origin) => origin !== door.origin);
    if (isForeign || (context.req.method === "POST" && origins.length === 0))
      return context.text("this request came from another site", 403);
    const admitted = door.admit(context);
    return admitted instanceof Response ? admitted : runAsVisitor(admitted, next);
  };
}

/** Lists all values of a header as they arrived: Node joins or drops further ones. */
export function listHeaderValues({ env }: Context, wanted: string): string[] {
  const { rawHeaders } = (env as HttpBindings).incoming;
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === wanted,
  );
}

function secureHeaders(context: Context): void {
  context.header("Content-Security-Policy", "frame-ancestors 'none'");
  context.header("X-Frame-Options", "DENY");
  context.header("X-Content-Type-Options", "nosniff");
  // Without any referrer a browser sends no Origin with a form either.
  context.header("Referrer-Policy", "same-origin");
  context.header("Cross-Origin-Opener-Policy", "same-origin");
  context.header("Cross-Origin-Resource-Policy", "same-origin");
  context.header("Cache-Control", "no-store");
}
