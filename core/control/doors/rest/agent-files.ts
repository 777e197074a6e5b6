import type { Readable } from "node:stream";
import { Fault } from "@reeve/model";
import type { FastifyInstance } from "fastify";

/** What a machine needs to become a host. None of it is secret: that is in the join token alone. */
export interface AgentFiles {
  /** The install script, for whoever reached us under this `Host`. */
  script(host: string): Promise<string>;
  /** Undefined when there is no file of this name. */
  open(name: string): Promise<{ readonly bytes: number; readonly content: Buffer | Readable } | undefined>;
}

export function agentFileRoutes(app: FastifyInstance, files: AgentFiles): void {
  const config = { demand: "public", label: "/agent/*" } as const;
  app.get("/agent/install.sh", { config }, async (request, reply) =>
    reply.type("text/x-shellscript; charset=utf-8").send(await files.script(request.headers.host ?? "")),
  );
  app.get("/agent/files/:name", { config }, async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = await files.open(name);
    if (file === undefined)
      throw new Fault("not_found", "the agent has no such file", {
        next: "/agent/install.sh knows them all",
      });
    return reply.type("application/octet-stream").header("content-length", file.bytes).send(file.content);
  });
}
