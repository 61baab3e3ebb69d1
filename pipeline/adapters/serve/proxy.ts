import type { HttpBindings } from "@hono/node-server";
import { BlockList, isIP } from "node:net";
import type { ConfigFile } from "../../../schemas/config.ts";
import { UsageError } from "../../base/errors.ts";
import { type Door, listHeaderValues } from "./guard.ts";

type ServeSettings = ConfigFile["serve"];

const everybody = "*";

/**
 * Admits requests that a trusted proxy sends on, as the person whom it names in a header. Throws UsageError for settings
 * that do not suffice.
 */
export function newProxyDoor(settings: ServeSettings): Door {
  const { user_header, trusted_proxies, base_url, readers, responders } = settings;
  if (user_header === undefined || trusted_proxies.length === 0)
    throw new UsageError(
      "--listen beyond the loopback address needs serve.user_header and serve.trusted_proxies in the configuration: the proxy that authenticates, and the header in which it names the user",
    );
  const { host, origin } = readBase(base_url);
  const isTrusted = newAddressCheck(trusted_proxies);
  const header = user_header.toLowerCase();
  const isListed = (names: readonly string[], user: string): boolean =>
    names.includes(everybody) || names.includes(user);
  return {
    host,
    origin,
    admit: (context) => {
      const { remoteAddress } = (context.env as HttpBindings).incoming.socket;
      if (remoteAddress === undefined || !isTrusted(remoteAddress))
        return context.text("requests are only accepted from the proxy", 403);
      const user = readUser(listHeaderValues(context, header));
      if (user === undefined)
        return context.text(`the proxy must send one user in the header ${user_header}`, 403);
      const isResponder = isListed(responders, user);
      if (!isResponder && !isListed(readers, user))
        return context.text("this user is not in serve.readers of the configuration", 403);
      return { user, session: `user ${user}`, isResponder };
    },
  };
}

function readBase(baseUrl: string | undefined): URL {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  if (base === undefined || base.pathname !== "/" || base.search !== "")
    throw new UsageError(
      "--listen behind a proxy needs serve.base_url in the configuration: the address that browsers open, without a path, such as https://audit.example.com",
    );
  return base;
}

/** Returns a check whether an address is in one of some networks; IPv4 addresses may be written as IPv6. */
export function newAddressCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
    const version = isIP(plain);
    return version !== 0 && list.check(plain, version === 6 ? "ipv6" : "ipv4");
  };
}

// Commas are refused: some proxies join a header of the client and their own with one.
const longestName = 200;

function readUser([value, ...others]: readonly string[]): string | undefined {
  if (value === undefined || others.length > 0) return undefined;
  const user = Buffer.from(value, "latin1").toString("utf8").trim();
  const isName = user.length > 0 && user.length <= longestName && !/[,\p{C}\uFFFD]/u.test(user);
  return isName ? user : undefined;
}
