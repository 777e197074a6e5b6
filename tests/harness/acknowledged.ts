import { type Api, project } from "./api.ts";
import type { Ledger } from "./ledger.ts";

/** A project that was acknowledged. */
export interface Acknowledged {
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
}

/** Makes projects, several at a time, until the server no longer answers or `stop` is called; acknowledged ones are in the ledger. */
export function makeProjects(api: Api, ledger: Ledger<Acknowledged>, prefix: string, lanes = 4) {
  let stopped = false;
  let made = 0;
  const lane = async (number: number) => {
    for (let at = 0; !stopped; at++) {
      const name = `${prefix}-${number}-${at}`;
      const path = `/api/v1/organizations/acme/projects/${name}`;
      const answer = await api.call("PUT", path, { body: project(name) }).catch(() => undefined);
      if (answer === undefined || answer.status === 503) return;
      if (answer.status !== 201) throw new Error(`${name}: ${answer.status} ${answer.text}`);
      const { uid, revision } = answer.body.metadata;
      ledger.write({ name, uid, revision });
      made++;
    }
  };
  const ended = Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return {
    made: () => made,
    stop() {
      stopped = true;
    },
    /** Rejects when an answer was neither yes nor "not now". */
    ended,
  };
}

/** What was acknowledged and is missing now, or is another one than was acknowledged. */
export async function missing(api: Api, ledger: Ledger<Acknowledged>): Promise<Acknowledged[]> {
  const found = new Map<string, string>();
  let next = "";
  do {
    const page = await api.call(
      "GET",
      `/api/v1/organizations/acme/projects?limit=1000${next && `&continue=${next}`}`,
    );
    if (page.status !== 200) throw new Error(`cannot list: ${page.text}`);
    for (const { metadata } of page.body.items) found.set(metadata.name, metadata.uid);
    next = page.body.continue ?? "";
  } while (next !== "");
  return ledger.read().filter(({ name, uid }) => found.get(name) !== uid);
}
