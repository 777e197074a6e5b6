import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { AttemptOrder, InnerBody } from "@reeve/agent";
import { expect, onTestFinished, test, vi } from "vitest";
import { http } from "./http.ts";

/** What names mean here. Of this machine's own addresses one is everybody's: 127.0.0.2. */
const names = vi.hoisted(() => new Map<string, string[]>());
const asked = vi.hoisted((): string[] => []);

vi.mock("node:dns/promises", () => ({
  lookup: async (name: string) => {
    asked.push(name);
    return (names.get(name) ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  },
}));
vi.mock("@reeve/model/address", async (original) => {
  const real = await original<typeof import("@reeve/model/address")>();
  return {
    ...real,
    isPublicAddress: (address: string) => address === "127.0.0.2" || real.isPublicAddress(address),
  };
});

async function serve(address: string, port: number, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function get(url: string) {
  const order: Partial<AttemptOrder> = { with: { url } };
  const body = (await http.prepare(order as AttemptOrder)) as InnerBody;
  let out = "";
  const outcome = await body.run({
    signal: AbortSignal.timeout(20_000),
    stdout: (text) => {
      out += text;
    },
    stderr: () => {},
  });
  return { ...outcome, out };
}

test("what is asked is the address that was looked at, whatever the name means to others", async () => {
  const port = await serve("127.0.0.2", 0, (_, response) => response.end("outside"));
  await serve("127.0.0.1", port, (_, response) => response.end("inside"));
  names.set("localhost", ["127.0.0.2"]);
  asked.length = 0;
  expect(await get(`http://localhost:${port}`)).toMatchObject({ outcome: "succeeded", out: "outside\n" });
  expect(asked, "looked up once").toEqual(["localhost"]);
});

test("a name that means a public address and a private one is refused, in either order", async () => {
  let served = 0;
  const port = await serve("127.0.0.2", 0, (_, response) => response.end(`${++served}`));
  for (const both of [
    ["127.0.0.2", "127.0.0.1"],
    ["10.0.0.1", "127.0.0.2"],
    ["127.0.0.2", "fd00::1"],
  ]) {
    names.set("both.example", both);
    const refused = await get(`http://both.example:${port}`);
    expect(refused).toMatchObject({ outcome: "failed", final: true });
    expect(refused.why).toContain("both.example is");
    expect(refused.why).toContain("a private address");
  }
  expect(served).toBe(0);
});

test("a public address that redirects to a private one, or to a name of one, is not followed there", async () => {
  let redirects = 0;
  let inside = 0;
  let there = "";
  const port = await serve("127.0.0.2", 0, (_, response) => {
    redirects++;
    response.writeHead(302, { location: there }).end();
  });
  await serve("127.0.0.1", port, (_, response) => response.end(`${++inside}`));
  names.set("inside.example", ["127.0.0.1"]);
  for (const shut of ["127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "inside.example"]) {
    there = `http://${shut}:${port}/latest`;
    const refused = await get(`http://127.0.0.2:${port}`);
    expect(refused).toMatchObject({ outcome: "failed", final: true });
    expect(refused.why).toContain("a private address");
  }
  expect({ redirects, inside }).toEqual({ redirects: 4, inside: 0 });
});
