import { isIP } from "node:net";
import { UsageError } from "../../base/errors.ts";

/** Throws UsageError for a list of networks that `in_network` cannot read: CIDR blocks or addresses with commas between. */
export function refuseNoNetworks(list: string): void {
  const networks = list.split(",").map((each) => each.trim());
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    throw new UsageError(
      `${JSON.stringify(wrong)} is no network; expected CIDR blocks or addresses with commas between them, such as 192.0.2.0/24,2001:db8::/32`,
    );
}

function isNetwork(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const family = isIP(address);
  // An address of a network has no zone, as in fe80::1%eth0.
  if (family === 0 || address.includes("%") || more.length > 0) return false;
  return (
    length === undefined ||
    (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128))
  );
}
