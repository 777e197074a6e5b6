import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:net";
import { join } from "node:path";
import type { Bench } from "./bench.ts";

/** A network of a test's own: a middle, and places that have a cable to it, each in a namespace of the kernel. */
export interface Network {
  place(): Place;
}

export interface Place {
  /** What goes before a program's arguments for it to run here. */
  readonly enter: readonly string[];
  /** The middle's address, as seen from here. */
  readonly middle: string;
  /** Ports of the middle on which this process listens, though it is elsewhere itself. */
  listen(count: number): Promise<Server[]>;
  /** From now on packets this way come to nobody, and nobody is told; new connections are neither made nor refused. */
  lose(way: "to middle" | "from middle" | "both"): void;
  mend(): void;
}

let networks = 0;

/** Needs the component `namespaces`. */
export function openNetwork(bench: Bench): Network {
  const name = `reeve-${process.pid}-${networks++}`;
  const middle = addNamespace(bench, name);
  let places = 0;
  return {
    place() {
      const number = places++;
      const here = addNamespace(bench, `${name}-${number}`);
      const [middleAddress, address] = [`10.77.${number}.1`, `10.77.${number}.2`];
      const [middleCard, card] = [`02:00:00:00:${byte(number)}:01`, `02:00:00:00:${byte(number)}:02`];
      const cable = `cable${number}`;
      ip(
        ...["-n", middle, "link", "add", cable, "address", middleCard, "type", "veth"],
        ...["peer", "name", "cable", "address", card, "netns", here],
      );
      ip("-n", middle, "address", "add", `${middleAddress}/24`, "dev", cable);
      ip("-n", here, "address", "add", `${address}/24`, "dev", "cable");
      ip("-n", middle, "link", "set", cable, "up");
      ip("-n", here, "link", "set", "cable", "up");
      // Who is addressed by another card's number throws the packet away: that is how packets are lost, at the receiver.
      const fromMiddle = (to: string) => setNeighbour(middle, cable, address, to);
      const toMiddle = (to: string) => setNeighbour(here, "cable", middleAddress, to);
      const nobody = "02:00:00:00:00:ff";
      const place: Place = {
        enter: entering(here),
        middle: middleAddress,
        listen: (count) => listenIn(middle, middleAddress, count),
        lose(way) {
          if (way !== "from middle") toMiddle(nobody);
          if (way !== "to middle") fromMiddle(nobody);
        },
        mend() {
          toMiddle(middleCard);
          fromMiddle(card);
        },
      };
      place.mend();
      return place;
    },
  };
}

function addNamespace(bench: Bench, name: string): string {
  ip("netns", "add", name);
  const remove = () => void spawnSync("ip", ["netns", "delete", name]);
  bench.keep({ end: remove, killNow: remove });
  ip("-n", name, "link", "set", "lo", "up");
  return name;
}

function entering(namespace: string): string[] {
  return ["nsenter", `--net=/run/netns/${namespace}`];
}

function setNeighbour(namespace: string, cable: string, address: string, card: string): void {
  const neighbour = ["neighbour", "replace", address, "lladdr", card, "dev", cable, "nud", "permanent"];
  ip("-n", namespace, ...neighbour);
}

/** A socket stays in the namespace it was made in, whoever holds it: a child listens there and hands its sockets to us. */
async function listenIn(namespace: string, address: string, count: number): Promise<Server[]> {
  const [enter = "", ...rest] = entering(namespace);
  const program = [process.execPath, join(import.meta.dirname, "listen-here.ts"), address, String(count)];
  const child = spawn(enter, [...rest, ...program], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const servers: Server[] = [];
  child.on("message", (_, server) => servers.push(server as Server));
  await once(child, "exit");
  if (servers.length !== count) throw new Error(`cannot listen on ${address}`);
  return servers;
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
}

function byte(number: number): string {
  return number.toString(16).padStart(2, "0");
}
