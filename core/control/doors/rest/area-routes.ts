import { readInput } from "@reeve/model";
import type { FastifyInstance } from "fastify";
import type { Limiter } from "../../guard/limiter.ts";
import type { AreaRoute } from "../../route.ts";
import type { Gate } from "../gate.ts";

/** The routes that areas add, such as signing in. */
export function areaRoutes(
  app: FastifyInstance,
  routes: readonly AreaRoute[],
  gate: Gate,
  limiter: Limiter,
  secure: boolean,
): void {
  for (const route of routes)
    app.route({
      method: route.method,
      url: `/api/v1${route.path}`,
      config: { demand: route.demand },
      async handler(request, reply) {
        const { arrival } = request;
        if (route.attemptsPerMinute !== undefined)
          limiter.count(`${route.path} ${arrival.origin.address}`, route.attemptsPerMinute);
        const body = route.body === undefined ? undefined : readInput(route.body, request.body ?? {});
        const { body: answer, cookie } = await route.run({
          caller: arrival.caller,
          carried: arrival.credential?.carried,
          origin: arrival.origin,
          body,
          params: request.params as Record<string, string>,
          userAgent: String(request.headers["user-agent"] ?? ""),
        });
        if (cookie !== undefined)
          reply.header(
            "set-cookie",
            `${gate.cookieName}=${cookie.value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${cookie.maxAgeSeconds}${secure ? "; Secure" : ""}`,
          );
        reply.header("cache-control", "no-store");
        return reply.code(route.status ?? 200).send(answer ?? {});
      },
    });
}
