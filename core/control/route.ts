import type { Caller, Json, Origin, Permission } from "@reeve/model";
import type { z } from "zod";

/**
 * What a route demands of its caller. There is no default: a route without one stops the server from starting.
 * - `public`: anybody; - `signed-in`: any valid credential; - `operation`: the operation behind it decides by kind and verb;
 * - `session`: a person's session, no token; - `fresh`: a session that proved its identity lately;
 * - `loopback-or`: anybody on this machine, others with the permission at the installation.
 */
export type Demand =
  | "public"
  | "signed-in"
  | "session"
  | "fresh"
  | "operation"
  | { readonly permission: Permission }
  | { readonly loopbackOr: Permission };

/** A request as an area's route sees it; doors have read and checked it. */
export interface RouteRequest<Body> {
  readonly caller: Caller | undefined;
  /** How the caller's credential came: a secret that came in a cookie must not leave in a body. */
  readonly carried: "bearer" | "cookie" | undefined;
  readonly origin: Origin;
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  /** Text of the request's headers that areas may need. */
  readonly userAgent: string;
}

export interface RouteAnswer {
  readonly body?: Json;
  /** Sets or ends the session cookie. */
  readonly cookie?: { readonly value: string; readonly maxAgeSeconds: number };
}

/** A route of an area beyond the operations every kind has, such as signing in. */
export interface AreaRoute<Body = unknown> {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below /api/v1. */
  readonly path: string;
  readonly summary: string;
  readonly demand: Demand;
  readonly body?: z.ZodType<Body>;
  readonly answer: z.ZodType;
  /** The status of a success: 201 when the route makes something. */
  readonly status?: 200 | 201;
  /** Attempts per minute from one address; for routes that check a password. */
  readonly attemptsPerMinute?: number;
  readonly run: (request: RouteRequest<Body>) => Promise<RouteAnswer>;
}

export function defineRoute<Body>(route: AreaRoute<Body>): AreaRoute {
  return route as AreaRoute;
}
