import { expect, test } from "vitest";
import { draftParts } from "./draft-parts.ts";
import { firstService } from "./first-service.ts";

const partsOf = (files: Record<string, string>) => draftParts({ spec: { files } });

test("the services of all Compose files are told, and what is no Compose file tells nothing", () => {
  const compose = `services:
  web: { image: "nginx:1.29", ports: ["8080:80", { target: 443, published: 8443 }, 9000] }
  worker:
`;
  expect(partsOf({ "compose.yaml": compose, "conf/site.conf": "server { listen 80; }" })).toEqual([
    { name: "web", image: "nginx:1.29", ports: ["8080:80", "8443:443", "9000"] },
    { name: "worker", image: "", ports: [] },
  ]);
});

test("a text that is only half written tells nothing, and breaks nothing", () => {
  expect(partsOf({ "compose.yaml": "services: [" })).toEqual([]);
  expect(partsOf({ "compose.yaml": "services: 3" })).toEqual([]);
  expect(draftParts({ spec: "soon" })).toEqual([]);
  expect(draftParts(undefined)).toEqual([]);
});

test("what a new service begins with is a Compose file", () => {
  expect(draftParts(firstService("acme")).map(({ image }) => image)).toEqual(["nginx:1.29"]);
});
