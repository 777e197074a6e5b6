import { expect, test } from "vitest";
import type { Instance } from "../kinds/index.ts";
import {
  countContainers,
  differencesOf,
  healthOf,
  hostsText,
  instanceStateOf,
  portsText,
  type ServiceResource,
} from "./seen.ts";

const container = { name: "web-1", service: "web", image: "web:1", restarts: 0, ports: [] };
const instance = (host: string, more: Partial<Instance> = {}): Instance => ({
  host,
  state: "running",
  containers: [{ ...container, state: "running", health: "healthy" }],
  ...more,
});

function service(generation: number, status: object): ServiceResource {
  return { metadata: { name: "web", generation }, spec: {}, status } as unknown as ServiceResource;
}
const deployed = { type: "Deployed", status: "true", reason: "Deployed", message: "", since: "" };
const failed = { ...deployed, status: "false", message: "generation 2: keep-b: web-1 is unhealthy" };
const titles = (of: ServiceResource, isChanging = false) =>
  differencesOf(of, isChanging).map(({ level, title }) => `${level}: ${title}`);

test("a service that is as wanted needs nobody", () => {
  const status = { deployed: 2, run: "r", conditions: [deployed], instances: [instance("a")] };
  expect(titles(service(2, status))).toEqual([]);
  // It was never deployed: that was never asked for.
  expect(titles(service(1, {}))).toEqual([]);
});

test("a failed deploy, a host that differs and a generation that nobody deployed are told, unless a run sees to it", () => {
  const instances = [instance("a"), instance("b", { state: "degraded", why: "web-1 is unhealthy" })];
  const broken = service(2, { deployed: 1, run: "r", conditions: [failed], instances });
  expect(titles(broken)).toEqual([
    "failed: The latest deploy of web failed",
    "failed: web is not as wanted on b",
  ]);
  expect(differencesOf(broken, false)[0]).toMatchObject({ run: "r", text: failed.message });
  expect(titles(broken, true)).toEqual([]);
  expect(titles(service(3, { deployed: 2, run: "r", conditions: [deployed], instances: [] }))).toEqual([
    "waiting: Generation 3 of web is not deployed",
  ]);
});

test("health is the worst that a check says; containers without one say nothing", () => {
  const sick = instance("b", { containers: [{ ...container, state: "exited", health: "unhealthy" }] });
  const unchecked = instance("c", { containers: [{ ...container, state: "running", health: "none" }] });
  expect(healthOf([instance("a"), sick])).toBe("unhealthy");
  expect(healthOf([unchecked])).toBeUndefined();
  expect(countContainers([instance("a"), sick, unchecked])).toEqual({ running: 2, seen: 3, wanted: 3 });
  expect(countContainers([{ ...sick, wanted: 3 }])).toMatchObject({ seen: 1, wanted: 3 });
});

test("hosts are told as they were chosen", () => {
  expect(hostsText({ names: ["a", "b"] })).toBe("a, b");
  expect(hostsText({ names: ["a"], labels: "zone=b" })).toBe("a and every host with zone=b");
  expect(hostsText({ labels: "zone=b" })).toBe("every host with zone=b");
});

test("a port that is open on every address is told once; others with their address", () => {
  expect(portsText(["0.0.0.0:8001->80/tcp", "[::]:8001->80/tcp", "127.0.0.1:9->9/udp"])).toBe(
    "8001->80/tcp, 127.0.0.1:9->9/udp",
  );
});

test("what is tried is not judged yet", () => {
  expect(instanceStateOf(instance("a", { state: "degraded", generation: 1, trying: 2 }))).toBe("changing");
  expect(instanceStateOf(instance("a", { state: "degraded", generation: 2, trying: 2 }))).toBe("degraded");
  expect(instanceStateOf(instance("a", { state: "degraded", generation: 1 }))).toBe("degraded");
});
