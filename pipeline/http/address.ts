import { AuditlakeError, UsageError } from "../errors.ts";

/**
 * The address of a service, checked; throws UsageError on one that is none or that would carry the key in
 * the clear, and where the environment switches the check of certificates off. `key` is what the error calls it.
 */
export function checkBase(
  text: string,
  env: Readonly<Record<string, string | undefined>> = {},
  key = "base_url",
): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new UsageError(`${key} is no web address; expected https://…`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      `${key} holds a user name or password; put the key into the environment instead`,
    );
  if (url.search !== "" || url.hash !== "")
    throw new UsageError(`${key} holds a ? or #; expected scheme, host and path alone`);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new UsageError(
      `${key} ${url.origin} is plain http, which would show the key; expected https`,
    );
  if (url.protocol === "https:" && env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    throw new UsageError(
      "NODE_TLS_REJECT_UNAUTHORIZED=0 would send the key to anybody; unset it, and name your own authority in NODE_EXTRA_CA_CERTS",
    );
  return url;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

/** The address of a path of the service with its parameters. */
export function addressOf(
  base: URL,
  path: string,
  parameters: Readonly<Record<string, string>>,
): URL {
  const url = new URL(base);
  const [pathname = "", search = ""] = path.split("?", 2);
  url.pathname = base.pathname.replace(/\/+$/, "") + pathname;
  url.search = search;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/**
 * Where a redirect or a link of an answer points to, read from the address of that answer; throws
 * AuditlakeError where that is another origin, since the key would go there.
 */
export function followed(from: URL | string, link: string): URL {
  const { origin, href } = new URL(from);
  const url = URL.parse(link, href);
  if (url === null)
    throw new AuditlakeError(
      "the service points to something that is no address; check the next link or redirect it sends",
    );
  if (url.origin !== origin)
    throw new AuditlakeError(
      `the service points to another origin, ${url.origin === "null" ? url.protocol : url.origin}; refused, since the key would go there`,
    );
  url.username = url.password = url.hash = "";
  return url;
}
