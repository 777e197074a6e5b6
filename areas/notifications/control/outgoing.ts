import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { isPublicAddress } from "@reeve/model/address";

/** Networks that channels may reach beside the open Internet, as the server's configuration names them. */
export type Allowed = (address: string) => boolean;

/**
 * Notifications leave from the server itself, to addresses that people of any scope may write. So they may go to the open Internet,
 * and to private networks only where whoever runs the server says so.
 */
export function allowedNetworks(networks: readonly string[]): Allowed {
  const open = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    open.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  return (address) => isPublicAddress(address) || open.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The address to connect to. It is looked up once and used as found, so that a second look cannot lead elsewhere. */
export async function addressOf(host: string, allowed: Allowed): Promise<string> {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const found = isIP(bare) ? [{ address: bare }] : await lookup(bare, { all: true });
  const good = found.find(({ address }) => allowed(address));
  if (good === undefined)
    throw new Error(
      `${host} is in a private network, which channels may not reach; whoever runs the server can name it in REEVE_NOTIFY_NETWORKS`,
    );
  return good.address;
}
