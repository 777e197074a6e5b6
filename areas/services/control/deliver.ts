import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import { readByUid } from "@reeve/store";
import { readBundle } from "../kinds/bundle.ts";
import { bundleName, openedName } from "../kinds/index.ts";
import { readDelivery } from "../store/index.ts";
import type { OpenSealed } from "./encrypted/open-sealed.ts";

/** The files that agents may have: those of services that were brought to them, and what the encrypted ones of these hold. */
export function filesFor(tools: Tools, openSealed: OpenSealed) {
  async function bundle(agent: string, digest: string): Promise<Buffer> {
    const { content } = await delivery(agent, digest);
    return Buffer.from(content);
  }

  /** Made for this agent in this moment, and kept nowhere. */
  async function opened(agent: string, digest: string): Promise<Buffer> {
    const { content, repository: uid } = await delivery(agent, digest);
    const repository = uid === null ? undefined : await readByUid(tools.database, uid);
    if (repository === undefined) throw missing();
    return Buffer.from(JSON.stringify(await openSealed(tools, readBundle(content), repository)));
  }

  async function delivery(agent: string, digest: string) {
    const found = await readDelivery(tools.database, agent, digest);
    if (found === undefined) throw missing();
    return found;
  }

  const ways = [
    { prefix: bundleName(""), give: bundle },
    { prefix: openedName(""), give: opened },
  ];
  return (agent: string, name: string): Promise<Buffer> | undefined => {
    const way = ways.find(({ prefix }) => name.startsWith(prefix));
    return way?.give(agent, name.slice(way.prefix.length));
  };
}

function missing(): Fault {
  return new Fault("not_found", "there is no such file for this agent", { next: "deploy the service again" });
}
