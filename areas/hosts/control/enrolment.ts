import { type Enrolment, type JoinRequest, systemAuthor, type Tools } from "@reeve/control";
import { Fault, invalidField, isName, type JsonObject, labelErrors, nameRule } from "@reeve/model";
import {
  type Address,
  type HostOfAgent,
  newResource,
  readAgent,
  readByUid,
  revokeAgent,
  type Sql,
  type Stored,
} from "@reeve/store";
import { refuseOurs } from "../kinds/index.ts";
import { countOpenTokens, isJoinSecret } from "../store/index.ts";
import { hostOfAgent } from "./host.ts";
import { revocation } from "./host-status.ts";
import { digest, type JoinTokenSpec } from "./join-token.ts";

/** How many of the hosts that joined with a token it shows. */
const hostsShown = 20;

export function openEnrolment(tools: Tools): Enrolment {
  return {
    join: (request) => join(tools, request),
    tokensSince: (before) => countOpenTokens(tools.database, before),
    async renewsAfterRestore(agent, write) {
      const host = await readByUid(tools.database, agent);
      if (host === undefined) throw new Fault("unauthenticated", "the host of this agent is gone");
      const at = addressOf(host);
      const { uid } = host.metadata;
      const why = "its identity was issued after the backup that this database was restored from";
      await tools.lane.submit({
        author: systemAuthor(why),
        needs: [],
        decide: () => ({
          writes: [],
          audit: [{ ...at, uid, operation: "renew", outcome: "done", reason: why }],
          events: [{ uid, tone: "normal", reason: "Renewed", message: `${why}; its agent has another one` }],
          also: write,
        }),
      });
    },
    async cloned(uid) {
      const host = await readByUid(tools.database, uid);
      if (host === undefined) return;
      const at = addressOf(host);
      const why = "an identity was used that its agent had replaced: somebody has a copy of it";
      await tools.lane.submit({
        author: systemAuthor(why),
        needs: [at],
        decide(view) {
          const now = view.get(at);
          if (now?.metadata.uid !== uid) return { writes: [], audit: [] };
          return {
            writes: [
              {
                operation: "update",
                resource: { ...now, status: revocation(now.status, view.now, why) as JsonObject },
              },
            ],
            audit: [{ ...at, uid: now.metadata.uid, operation: "revoke", outcome: "done", reason: why }],
            events: [
              { uid: now.metadata.uid, tone: "warning", reason: "Cloned", message: `${why}; it was revoked` },
            ],
            also: (sql) => revokeAgent(sql, uid),
          };
        },
      });
    },
  };
}

/** The token is used and the host made in one transaction, under the token's lock: it works as often as it says. */
async function join(tools: Tools, request: JoinRequest): Promise<HostOfAgent> {
  const token = await tokenOf(tools, request);
  const tokenAt = addressOf(token);
  const at: Address = { kind: "Host", scope: tokenAt.scope, name: nameFor(request, token) };
  const made = newHost(at, request, token);
  let host = made;
  await tools.lane.submit({
    author: { ...systemAuthor(`joined with ${tokenAt.name}`), origin: request.origin },
    needs: [tokenAt, at],
    decide(view) {
      const now = view.get(tokenAt);
      if (now?.metadata.uid !== token.metadata.uid || !works(now, view.now)) throw refusedToken();
      const before = view.get(at);
      if (before?.metadata.deletingAt !== undefined)
        throw new Fault("conflict", `the host ${at.name} is being deleted`, {
          next: "try again in a moment",
        });
      host = before ?? made;
      const { uid } = host.metadata;
      const used = ((now.status.used as number | undefined) ?? 0) + 1;
      const hosts = [at.name, ...((now.status.hosts ?? []) as string[])].slice(0, hostsShown);
      return {
        writes: [
          ...(before === undefined ? [{ operation: "create" as const, resource: made }] : []),
          { operation: "update", resource: { ...now, status: { ...now.status, used, hosts } } },
        ],
        audit: [{ ...at, uid, operation: "join", outcome: "done", detail: { token: tokenAt.name } }],
        events: [{ uid, tone: "normal", reason: "Joined", message: `an agent joined with ${tokenAt.name}` }],
        async check(sql) {
          if (!(await isJoinSecret(sql, token.metadata.uid, digest(request.token.secret))))
            throw refusedToken();
          if (before !== undefined) await refuseTaken(sql, before, token);
        },
        also: (sql) => request.write(sql, hostOfAgent(host)),
      };
    },
  });
  return hostOfAgent(host);
}

/** A host that waits for its agent is there to be joined; one that has an agent keeps it, unless the token says otherwise. */
async function refuseTaken(sql: Sql, host: Stored, token: Stored): Promise<void> {
  if ((token.spec as unknown as JoinTokenSpec).replace) return;
  if ((await readAgent(sql, host.metadata.uid)) === undefined) return;
  throw new Fault("exists", `there is a host ${host.metadata.name} with an agent already`, {
    next: "join under another name, delete that host, or use a token with `replace: true`",
  });
}

async function tokenOf({ database }: Tools, { token }: JoinRequest): Promise<Stored> {
  const { id, secret } = token;
  const found = /^[0-9a-f-]{36}$/.test(id) ? await readByUid(database, id) : undefined;
  if (found?.kind !== "JoinToken" || !(await isJoinSecret(database, id, digest(secret))))
    throw refusedToken();
  return found;
}

function works({ metadata, spec, status }: Stored, now: string): boolean {
  const { used = 0, expiresAt } = status as { used?: number; expiresAt?: string };
  if (metadata.deletingAt !== undefined || expiresAt === undefined) return false;
  return used < (spec as unknown as JoinTokenSpec).uses && Date.parse(expiresAt) > Date.parse(now);
}

/** One answer for all that is wrong with it: who guesses learns nothing. */
function refusedToken(): Fault {
  return new Fault(
    "unauthenticated",
    "this join token is not valid: it was used up, has expired, or never was",
    { next: "make a new one with `reeve agent token`" },
  );
}

function nameFor({ name }: JoinRequest, { spec }: Stored): string {
  if (!isName(name)) throw invalidField("/name", `not a valid name: ${nameRule}`);
  const { hosts } = spec as unknown as JoinTokenSpec;
  if (hosts !== undefined && !pattern(hosts).test(name))
    throw invalidField("/name", `this token is for hosts called ${hosts}`, "join under such a name");
  return name;
}

function pattern(hosts: string): RegExp {
  return new RegExp(`^${hosts.replaceAll("*", ".*")}$`);
}

function newHost(at: Address, request: JoinRequest, { spec }: Stored): Stored {
  refuseOurs(request.labels, "/labels");
  if (Object.keys(request.labels).some((key) => key.startsWith("reeve/")))
    throw invalidField("/labels", "labels that begin with reeve/ come from the token");
  const labels = { ...request.labels, ...(spec as unknown as JoinTokenSpec).labels };
  const [wrong] = labelErrors(labels);
  if (wrong) throw invalidField(wrong.pointer.replace("/metadata", ""), wrong.message);
  return newResource(at, {}, { labels });
}

function addressOf({ kind, metadata: { scope, name } }: Stored): Address {
  return { kind, scope, name };
}
