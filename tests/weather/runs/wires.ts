import { createConnection, createServer, type Server, type Socket } from "node:net";
import type { Bench } from "../../harness/bench.ts";

/** One agent's ways to all replicas, below TLS: they can be cut, slowed down and broken one way. */
export interface Wires {
  readonly ports: readonly number[];
  /** Resets every connection. */
  cut(): void;
  /** From now on bytes this way are swallowed as by a network without the route; none are lost when it is mended: TCP sends again. */
  hold(way: "to server" | "to agent" | "both"): void;
  /** Every byte, both ways, comes so much later. */
  delay(ms: number): void;
  mend(): void;
}

/** `listen` gives the sockets that agents come to; those of the loopback network by default. */
export async function openWires(
  bench: Bench,
  targets: readonly number[],
  listen: (count: number) => Promise<Server[]> = listenOnLoopback,
): Promise<Wires> {
  const state = { toServer: false, toAgent: false, delayMs: 0 };
  const pumps = new Set<Pump>();
  const sockets = new Set<Socket>();
  const connect = (client: Socket, target: number) => {
    const server = createConnection(target, "127.0.0.1");
    const pair = [
      pump(client, server, () => (state.toServer ? undefined : state.delayMs)),
      pump(server, client, () => (state.toAgent ? undefined : state.delayMs)),
    ];
    for (const one of pair) pumps.add(one);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket
        .on("error", () => {})
        .on("close", () => {
          for (const one of pair) pumps.delete(one);
          for (const other of [client, server]) {
            sockets.delete(other);
            other.destroy();
          }
        });
    }
  };
  const fronts = await listen(targets.length);
  for (const [at, front] of fronts.entries())
    front.on("connection", (client) => connect(client, targets[at] as number));
  const cut = () => {
    for (const socket of [...sockets]) socket.resetAndDestroy();
  };
  bench.keep({
    end() {
      for (const front of fronts) front.close();
      cut();
    },
  });
  const change = (next: Partial<typeof state>) => {
    Object.assign(state, next);
    for (const one of pumps) one.flush();
  };
  return {
    ports: fronts.map((front) => (front.address() as { port: number }).port),
    cut,
    hold: (way) => change({ toServer: way !== "to agent", toAgent: way !== "to server" }),
    delay: (delayMs) => change({ delayMs }),
    mend: () => change({ toServer: false, toAgent: false, delayMs: 0 }),
  };
}

async function listenOnLoopback(count: number): Promise<Server[]> {
  const fronts = Array.from({ length: count }, () => createServer());
  await Promise.all(
    fronts.map((front) => new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve))),
  );
  return fronts;
}

interface Pump {
  flush(): void;
}

/** One way of a connection. `wait` says how long bytes take; undefined that they do not pass. */
function pump(from: Socket, to: Socket, wait: () => number | undefined): Pump {
  const onTheWay: { readonly chunk: Buffer; readonly due: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    while (wait() !== undefined && onTheWay[0] !== undefined) {
      const leftMs = onTheWay[0].due - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(flush, leftMs);
        return;
      }
      const { chunk } = onTheWay.shift() as { chunk: Buffer };
      if (!to.destroyed) to.write(chunk);
      if (onTheWay.length < 64) from.resume();
    }
  };
  from.on("data", (chunk) => {
    onTheWay.push({ chunk, due: performance.now() + (wait() ?? 0) });
    // A network holds only so much; then the sender waits.
    if (onTheWay.length >= 64) from.pause();
    flush();
  });
  return { flush };
}
