import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../metrics.ts";

export interface Health {
  /** Why the replica should get no traffic; empty when it should. */
  notReady(): readonly string[];
}

/** Probes and figures. They answer before anything else works, and say what does not. */
export function healthRoutes(app: FastifyInstance, health: Health, metrics: Metrics): void {
  const probe = { config: { demand: "public" as const, probe: true } };
  app.get("/livez", probe, () => ({ live: true }));
  app.get("/readyz", probe, (_request, reply) => {
    const reasons = health.notReady();
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons });
  });
  app.get(
    "/metrics",
    { config: { demand: { loopbackOr: "installation:metrics" } } },
    async (_request, reply) => reply.type("text/plain; version=0.0.4").send(await metrics.text()),
  );
}
