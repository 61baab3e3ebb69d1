import { AuditlakeError, UsageError } from "../errors.ts";

/**
 * Checks the address of a service. Throws UsageError for an invalid address, for one that would send the key in the
 * clear, and if the environment disables the check of certificates. `key` is its name in the error.
 */
export function checkBase(
  text: string,
  env: Readonly<Record<string, string | undefined>> = {},
  key = "base_url",
): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new UsageError(`${key} is not a web address; expected https://…`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      `${key} contains a user name or password; put the key into the environment instead`,
    );
  if (url.search !== "" || url.hash !== "")
    throw new UsageError(`${key} contains a ? or #; expected only scheme, host and path`);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new UsageError(
      `${key} ${url.origin} is plain http, which would expose the key; expected https`,
    );
  if (url.protocol === "https:" && env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    throw new UsageError(
      "NODE_TLS_REJECT_UNAUTHORIZED=0 would send the key to any server; unset it, and set NODE_EXTRA_CA_CERTS to your own authority",
    );
  return url;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}

export function buildAddress(
  base: URL,
  path: string,
  parameters: Readonly<Record<string, string>>,
): URL {
  const url = new URL(base);
  const [pathname = "", search = ""] = path.split("?", 2);
  url.pathname = base.pathname.replace(/(?<!\/)\/+$/, "") + pathname;
  url.search = search;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/**
 * Where a redirect or a link of an answer points to, read from the address of that answer. Throws AuditlakeError where
 * that is another origin, since the key would go there. What the service sent is not shown: it may hold the key in any
 * disguise.
 */
export function resolveLink(from: URL | string, link: string): URL {
  const { origin, href, protocol } = new URL(from);
  const url = URL.parse(link, href);
  if (url === null)
    throw new AuditlakeError(
      "the service sent an invalid address; check its next link or redirect",
    );
  // A blob has the origin of its creator.
  if (url.origin !== origin || url.protocol !== protocol)
    throw new AuditlakeError(
      `the service sent an address of another origin: expected ${origin}, found another ${describeDifference(new URL(origin), url)}; refused, because the key would be sent there; check base_url`,
    );
  url.username = url.password = url.hash = "";
  return url;
}

function describeDifference(expected: URL, found: URL): string {
  if (found.protocol !== expected.protocol) return "scheme";
  return found.hostname === expected.hostname ? "port" : "host";
}

/**
 * The address itself where it lies below the base. Throws AuditlakeError where it does not: one host may serve several
 * tenants, and the key is for one of them.
 */
export function assertWithin(base: URL, url: URL): URL {
  const root = base.pathname.replace(/(?<!\/)\/+$/, "");
  const isInside = url.pathname === root || url.pathname.startsWith(`${root}/`);
  if (url.origin === base.origin && isInside && (root === "" || isBelow(url.pathname))) return url;
  throw new AuditlakeError(
    `the service sent an address outside ${base.origin}${root}; refused, because the key would be sent there; check base_url`,
  );
}

// More often than any server decodes a path.
const mostDecoding = 8;
// Overlong UTF-8: some servers decode it to the character that it encodes.
const overlong = /[\u00c0\u00c1]|\u00e0[\u0080-\u009f]|\u00f0[\u0080-\u008f]/;
// Some servers cut parameters and zero bytes off a step.
const stepUp = /^\.+\s*(?:[;\u0000-\u001f]|$)/;

// Servers may decode a path again, and only then see `..` in it.
function isBelow(pathname: string): boolean {
  let path = pathname;
  for (let decoded = decodePath(path), times = 1; decoded !== path; times++) {
    if (times > mostDecoding) return false;
    path = decoded;
    decoded = decodePath(path);
  }
  // Wide dots and slashes are taken for plain ones here and there.
  const text = Buffer.from(path, "latin1").toString("utf8").normalize("NFKC");
  return !overlong.test(path) && text.split(/[/\\]/).every((step) => !stepUp.test(step));
}

// Byte by byte; invalid codes stay unchanged.
function decodePath(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
