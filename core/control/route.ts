import type { Caller, Fault, Json, Origin, Permission } from "@reeve/model";
import type { z } from "zod";
import type { Asking } from "./context.ts";
import type { Credential } from "./guard/identity.ts";

/**
 * What a route demands of its caller. There is no default: a route without one stops the server from starting.
 * - `public`: anybody; - `signed-in`: any valid credential; - `operation`: the operation behind it decides by kind and verb;
 * - `own`: what is the caller's own, so any valid credential but one that was made for less than its subject may;
 * - `session`: a person's session, no token; - `fresh`: a session that proved its identity lately;
 * - `loopback-or`: anybody on this machine, others with the permission at the installation.
 */
export type Demand =
  | "public"
  | "signed-in"
  | "own"
  | "session"
  | "fresh"
  | "operation"
  | { readonly permission: Permission; readonly fresh?: true }
  | { readonly loopbackOr: Permission };

/** A request as an area's route sees it; doors have read and checked it. */
export interface RouteRequest<Body, Query = unknown> {
  readonly caller: Caller | undefined;
  /** How the caller's credential came: a secret that came in a cookie must not leave in a body. */
  readonly carried: "bearer" | "cookie" | undefined;
  /** For streams, which ask again whether their reader may go on. */
  readonly credential: Credential | undefined;
  readonly origin: Origin;
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  /** The body and the headers as they came, for what is signed outside. */
  readonly raw: { readonly body: string; readonly headers: Readonly<Record<string, string>> };
  /** Text of the request's headers that areas may need. */
  readonly userAgent: string;
  /** Where a stream that was lost goes on: the id of the last event its reader has. */
  readonly lastEventId: string | undefined;
  /** Of a change that the caller may send again: pass it on to `record`. */
  readonly idempotency: Asking["idempotency"];
  /** The secret that this browser was given when its sign-in elsewhere began. */
  readonly attempt: string | undefined;
}

export interface RouteAnswer {
  readonly body?: Json;
  /** Sets or ends the session cookie. */
  readonly cookie?: Cookie;
  /** Sets or ends the cookie that binds a sign-in elsewhere to this browser. */
  readonly attempt?: Cookie;
  /** Where the browser goes on; instead of a body. */
  readonly redirect?: string;
  /** Server-sent events instead of a body. What it returns is called when the reader is gone. */
  readonly events?: (out: EventOut) => () => void;
  /** Bytes instead of JSON, as they come; with a name it is a file to keep. */
  readonly bytes?: {
    readonly type: string;
    readonly name?: string;
    readonly chunks: AsyncIterable<Uint8Array>;
  };
}

/** Where a stream's events are written. A reader that does not keep up is cut off; it comes back with the last id it has. */
export interface EventOut {
  /** Text that `eventText` made. A promise asks to hold back what can wait until the reader has room. */
  tell(text: string | Buffer): undefined | Promise<void>;
  /** Nothing more comes: with a fault when something is wrong. */
  end(fault?: Fault): void;
}

/** One server-sent event; the data is JSON, which has no line breaks. */
export function eventText(event: string, data: Json, id?: string | number): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export interface Cookie {
  readonly value: string;
  readonly maxAgeSeconds: number;
}

/** A route of an area beyond the operations every kind has, such as signing in. */
export interface AreaRoute<Body = unknown, Query = unknown> {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below /api/v1. */
  readonly path: string;
  readonly summary: string;
  /** The heading of the API's description under which it stands; by its demand when left out. */
  readonly tag?: string;
  /** More than a summary can say, such as what a stream tells. */
  readonly description?: string;
  readonly demand: Demand;
  readonly body?: z.ZodType<Body>;
  /** Without it, the query is not looked at. */
  readonly query?: z.ZodObject & z.ZodType<Query>;
  /** Left out when the browser is sent on. */
  readonly answer?: z.ZodType;
  /** It can answer with server-sent events, or answers with nothing else. */
  readonly streams?: true | "always";
  /** The types of bytes that it answers with instead of JSON. */
  readonly sends?: readonly string[];
  /** The status of a success: 201 when the route makes something, 302 when it sends the browser on. */
  readonly status?: 200 | 201 | 302;
  /** Attempts per minute from one address; for routes that check a password. */
  readonly attemptsPerMinute?: number;
  readonly run: (request: RouteRequest<Body, Query>) => Promise<RouteAnswer>;
}

export function defineRoute<Body, Query>(route: AreaRoute<Body, Query>): AreaRoute {
  return route as AreaRoute;
}
