import { createConnection, createServer, type Socket } from "node:net";
import type { Bench } from "./bench.ts";

/** A way to the database that can be cut, also at the one moment when nobody can know whether a commit happened. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection. */
  cutAll(): void;
  /** From here on it leads elsewhere; those that are open are reset. */
  pointTo(port: number): void;
  /** The next commits are cut: before they reach the database, or after it has answered and before the answer is heard. */
  cutCommits(when: "before" | "after", count: number): void;
  /** How many commits were cut, by when. */
  readonly cut: { before: number; after: number };
}

export async function openProxy(bench: Bench, port: number): Promise<TcpProxy> {
  let targetPort = port;
  const pairs = new Set<{ client: Socket; server: Socket }>();
  const cut = { before: 0, after: 0 };
  const armed: ("before" | "after")[] = [];
  const front = createServer((client) => {
    const server = createConnection(targetPort, "127.0.0.1");
    const pair = { client, server };
    pairs.add(pair);
    let deaf = false;
    const drop = () => {
      pairs.delete(pair);
      client.resetAndDestroy();
      server.resetAndDestroy();
    };
    for (const socket of [client, server]) socket.on("error", () => {}).on("close", drop);
    client.on("data", (chunk) => {
      const when = chunk.includes("\vcommit\0") ? armed.shift() : undefined;
      if (when !== undefined) cut[when]++;
      if (when === "before") return drop();
      deaf ||= when === "after";
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (!deaf) client.write(chunk);
      else if (chunk.includes("COMMIT\0")) drop();
    });
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const cutAll = () => {
    for (const { client, server } of [...pairs]) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  };
  bench.keep({
    end() {
      front.close();
      cutAll();
    },
  });
  return {
    port: (front.address() as { port: number }).port,
    cutAll,
    pointTo(port) {
      targetPort = port;
      cutAll();
    },
    cutCommits(when, count) {
      armed.push(...Array.from({ length: count }, () => when));
    },
    cut,
  };
}
