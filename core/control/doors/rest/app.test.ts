import { Fault } from "@reeve/model";
import { expect, test } from "vitest";
import type { Arrival } from "../gate.ts";
import { restApp } from "./app.ts";

const arrival: Arrival = {
  caller: undefined,
  credential: undefined,
  origin: { requestId: "r1", address: "" },
  loopback: false,
};

function appFor() {
  const silent = () => {};
  const refused: string[] = [];
  const app = restApp({
    readiness: { check() {} },
    openPaths: /^$/,
    gate: { cookieName: "reeve", arrive: async () => arrival },
    log: { info: silent, warn: silent, error: silent, debug: silent },
    metrics: { answered: silent } as never,
    secure: false,
    async refuse(_arrival, method, route, fault) {
      refused.push(`${method} ${route} ${fault.kind}`);
      throw fault;
    },
  });
  return { app, refused };
}

test("a route that declares no demand stops the server from starting", () => {
  const { app } = appFor();
  expect(() => app.get("/forgotten", () => "hello")).toThrow("GET /forgotten declares no permission");
  expect(() => app.get("/empty", { config: {} }, () => "hello")).toThrow("declares no permission");
  expect(() => app.get("/thought-of", { config: { demand: "public" } }, () => "hello")).not.toThrow();
});

test("a route's handler is not reached by a caller who does not meet its demand", async () => {
  const { app, refused } = appFor();
  let reached = 0;
  const demands = ["signed-in", "session", "fresh", { permission: "a:b" }, { loopbackOr: "a:b" }] as const;
  for (const [index, demand] of demands.entries())
    app.get(`/${index}`, { config: { demand } }, () => String(++reached));
  const statuses = await Promise.all(demands.map((_, index) => app.inject(`/${index}`)));
  expect(statuses.map((answer) => answer.statusCode)).toEqual(demands.map(() => 401));
  expect(reached).toBe(0);
  expect(refused).toHaveLength(demands.length);
});

test("an error that is not a fault tells the caller nothing but the request's id", async () => {
  const { app } = appFor();
  app.get("/broken", { config: { demand: "public" } }, () => {
    throw new Error("password=hunter2");
  });
  app.get("/refused", { config: { demand: "public" } }, () => {
    throw new Fault("conflict", "changed meanwhile");
  });
  const broken = await app.inject("/broken");
  expect(broken.statusCode).toBe(500);
  expect(broken.body).not.toContain("hunter2");
  expect(broken.json()).toMatchObject({ kind: "internal", requestId: "r1" });
  expect((await app.inject("/refused")).json()).toMatchObject({ status: 409, detail: "changed meanwhile" });
});

test("a person whose browser goes astray gets a page, a program the problem itself", async () => {
  const { app } = appFor();
  app.get("/astray", { config: { demand: "public" } }, () => {
    throw new Fault("invalid", "no provider <script>alert(1)</script>", { next: "try 'another' one" });
  });
  const url = "/astray";
  const person = await app.inject({ url, headers: { "sec-fetch-mode": "navigate", accept: "text/html" } });
  expect([person.statusCode, person.headers["content-type"]]).toEqual([422, "text/html; charset=utf-8"]);
  expect(person.body).toContain("<p>no provider &#60;script&#62;alert(1)&#60;/script&#62;</p>");
  expect(person.body).toContain("<p>try &#39;another&#39; one</p>");
  const programs = [{}, { accept: "*/*" }, { "sec-fetch-mode": "cors", accept: "text/html" }];
  for (const headers of programs)
    expect((await app.inject({ url, headers })).headers["content-type"]).toMatch(
      /^application\/problem\+json/,
    );
});
