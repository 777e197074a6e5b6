import { apiVersion, type JsonObject, type Scope } from "@reeve/model";

/** What a new service begins with: small, and it works where `web-1` is a host. */
export function firstService(scope: Scope): JsonObject {
  return {
    apiVersion,
    kind: "Service",
    metadata: { ...(scope === "" ? {} : { scope }), name: "web" },
    spec: { hosts: { names: ["web-1"] }, files: { "compose.yaml": firstCompose } },
  };
}

export const firstCompose = `services:
  web:
    image: nginx:1.29
    ports: ["8080:80"]
    volumes: ["./data:/data"]
`;
