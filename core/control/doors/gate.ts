import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { type Caller, Fault, newUid, type Origin } from "@reeve/model";
import type { Credential, Identity } from "../guard/identity.ts";
import type { Limiter } from "../guard/limiter.ts";
import type { RecordRefused } from "../guard/refused-credentials.ts";
import type { Turns } from "../guard/turns.ts";

/** What a door knows of a request before it looks at what is asked. */
export interface Arrival {
  readonly caller: Caller | undefined;
  readonly credential: Credential | undefined;
  readonly origin: Origin;
  /** The peer is on this machine and no proxy spoke for somebody else. */
  readonly loopback: boolean;
}

export interface Gate {
  readonly cookieName: string;
  arrive(request: Incoming, visit: Visit): Promise<Arrival>;
}

/** The part of a request that the gate looks at; node's own requests of either HTTP version fit. */
export interface Incoming {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** What a request is for, and how its end is noticed. */
export interface Visit {
  readonly use: "read" | "change" | "watch";
  readonly answer: { once(event: "close", listener: () => void): unknown };
}

export interface GateOptions {
  readonly identity: Identity;
  readonly limiter: Limiter;
  /** The address people use; its scheme decides about cookies. */
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
  readonly turns: Turns;
  readonly limits: {
    readonly anonymousPerMinute: number;
    readonly signedInPerMinute: number;
    readonly watchesPerMinute: number;
  };
  /** Of one subject, worked on at once. Each holds a connection to the database: some must be left for others. */
  readonly readsAtOnce: number;
  /** Records that a credential was turned away. */
  readonly recordRefused: RecordRefused;
}

/** Changes share the write lane's one connection, and the more there are the larger its batches. */
const changesAtOnce = 256;

/** Finds out who calls and from where, for every door alike; bad credentials and floods end here. */
export function openGate(options: GateOptions): Gate {
  const { limiter, turns, limits } = options;
  const secure = options.publicUrl.startsWith("https:");
  // The __Host- prefix is only accepted with Secure, which plain HTTP on loopback cannot have.
  const cookieName = secure ? "__Host-reeve" : "reeve";
  const publicOrigin = new URL(options.publicUrl).origin;
  return {
    cookieName,
    async arrive(request, { use, answer }) {
      let ended = false;
      let endTurn: (() => void) | undefined;
      answer.once("close", () => {
        ended = true;
        endTurn?.();
      });
      const peer = plainAddress(request.socket.remoteAddress ?? "");
      const proxied = options.trustedProxies.includes(peer);
      const address = proxied ? forwarded(request.headers["x-forwarded-for"], peer) : peer;
      const origin: Origin = { requestId: requestId(request.headers["x-request-id"]), address };
      const loopback = isLoopback(peer) && request.headers["x-forwarded-for"] === undefined;
      const refuse = async (carried: Credential["carried"], fault: Fault): Promise<never> => {
        limiter.count("address", address, limits.anonymousPerMinute);
        await options.recordRefused(origin, carried, fault.message);
        throw fault;
      };
      const credential = readCredential(request, cookieName);
      if (credential === "unreadable") return refuse("bearer", notBearer());
      if (credential === undefined) {
        limiter.count("address", address, limits.anonymousPerMinute);
        return { caller: undefined, credential, origin, loopback };
      }
      if (credential.carried === "cookie" && !isSameOrigin(request, publicOrigin))
        return refuse("cookie", fromElsewhere());
      const caller = await options.identity.identify(credential);
      if (caller === undefined) {
        if (credential.carried === "bearer") return refuse("bearer", notValid());
        // A browser sends an old cookie along by itself; with it, one must still be able to sign in.
        limiter.count("address", address, limits.anonymousPerMinute);
        return { caller, credential: undefined, origin, loopback };
      }
      const { uid } = caller.subject;
      if (use === "watch") limiter.count("watch", uid, limits.watchesPerMinute);
      else {
        limiter.count("subject", uid, limits.signedInPerMinute);
        endTurn = await turns.take(`${use} ${uid}`, use === "read" ? options.readsAtOnce : changesAtOnce);
        if (ended) endTurn();
      }
      return { caller, credential, origin, loopback };
    },
  };
}

function notValid(): Fault {
  return new Fault(
    "unauthenticated",
    "this credential is not valid: it was ended, has expired, or never was",
    {
      next: "sign in again with `reeve login`",
    },
  );
}

function notBearer(): Fault {
  return new Fault("unauthenticated", "the Authorization header is not `Bearer TOKEN`", {
    next: "send a token as `Authorization: Bearer …`",
  });
}

function fromElsewhere(): Fault {
  return new Fault("forbidden", "this request came from another site", {
    next: "use Reeve's own pages, or a token",
  });
}

function readCredential({ headers }: Incoming, cookieName: string): Credential | "unreadable" | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const bearer = /^Bearer +([\x21-\x7e]{1,500})$/i.exec(authorization)?.[1];
    return bearer === undefined ? "unreadable" : { carried: "bearer", secret: bearer };
  }
  const secret = readCookie(headers, cookieName);
  return secret ? { carried: "cookie", secret } : undefined;
}

export function readCookie(headers: IncomingHttpHeaders, name: string): string | undefined {
  const cookie = (headers.cookie ?? "").split(/; */).find((part) => part.startsWith(`${name}=`));
  return cookie?.slice(name.length + 1);
}

/** A browser sends the cookie along with what other sites make it ask: changes must come from our own pages. */
function isSameOrigin({ method, headers }: Incoming, publicOrigin: string): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const site = headers["sec-fetch-site"];
  return site !== undefined ? site === "same-origin" || site === "none" : headers.origin === publicOrigin;
}

/** A proxy appends; the last entry is the one that our own proxy saw. */
export function forwarded(header: string | string[] | undefined, peer: string): string {
  const last =
    String(header ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  return isIP(last) ? last : peer;
}

/** IPv4 inside IPv6 is IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}

export function isLoopback(address: string): boolean {
  return address === "::1" || address === "localhost" || /^127(\.\d+){3}$/.test(address);
}

/** Kept when a caller or proxy gave a sensible one, so that one id goes through all logs. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{8,100}$/.test(given) ? given : newUid();
}
