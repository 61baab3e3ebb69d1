import { timingSafeEqual } from "node:crypto";
import { getCookie, setCookie } from "hono/cookie";
import { readUserName } from "../../base/home/version.ts";
import type { Door } from "./guard.ts";

/** A door on the loopback addresses; its host is known once the server listens. */
export type LoopbackDoor = Door & { readonly open: (host: string) => void };

const cookieName = "auditlake";

/**
 * Admits the browser that brings the token printed at the start, as the user of the operating system. The token in the
 * address becomes a cookie that scripts do not see.
 */
export function newLoopbackDoor(token: string): LoopbackDoor {
  const visitor = { user: readUserName(), session: token, isResponder: true };
  let current = "";
  return {
    open: (host) => (current = host),
    get host() {
      return current;
    },
    get origin() {
      return `http://${current}`;
    },
    admit: (context) => {
      const given = context.req.query("token");
      if (given !== undefined && isSame(given, token)) {
        setCookie(context, cookieName, token, { httpOnly: true, sameSite: "Strict", path: "/" });
        return context.redirect("/", 303);
      }
      if (isSame(getCookie(context, cookieName) ?? "", token)) return visitor;
      return context.text("open the address that auditlake serve printed; it has the token", 403);
    },
  };
}

/**
 * A host of this server alone, as `Host` has it. Browsers send the cookies of a host to every port of it, so under a
 * shared one such as 127.0.0.1 any other listener would get the token. They resolve names below `localhost` themselves.
 */
export function chooseHost(random: string, port: number): string {
  // They leave out the usual port.
  return `auditlake-${random}.localhost${port === 80 ? "" : `:${port}`}`;
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
