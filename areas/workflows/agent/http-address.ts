import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublicAddress } from "@reeve/model/address";

/** An address of a host, decided once: what is asked is what was looked at, whatever its name says a moment later. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export class PrivateAddress extends Error {}

/** Looks a host up, once, and refuses it if any of its addresses is private: a name that means both is a trap. */
export async function pinAddress(host: string, allowPrivate: boolean): Promise<PinnedAddress> {
  const name = host.startsWith("[") ? host.slice(1, -1) : host;
  const found = isIP(name) ? [{ address: name, family: isIP(name) }] : await lookup(name, { all: true });
  const shut = found.find(({ address }) => !isPublicAddress(address));
  if (shut !== undefined && !allowPrivate)
    throw new PrivateAddress(
      `${name} is ${shut.address}, a private address; if that is meant, say allowPrivate: true in the step`,
    );
  const first = found[0];
  if (first === undefined) throw new Error(`${name} has no address`);
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
}
