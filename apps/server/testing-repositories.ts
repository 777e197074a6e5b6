import { join } from "node:path";
import { serveGit, type TestRepository, testRepository } from "@reeve/git/testing";
import { expect, onTestFinished, vi } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { patientWithLinks } from "./testing-agents.ts";

/** Services whose files are in a real repository. */

export const patience = { timeout: 120_000, interval: 50 };
export const keep = (end: () => void) => onTestFinished(end);
export const composeOf = (image: string) => `services:\n  web:\n    image: ${image}\n`;

const kinds: Record<string, string> = {
  services: "Service",
  repositories: "Repository",
  secrets: "Secret",
  connections: "Connection",
};

export interface House {
  readonly server: TestServer;
  readonly repository: TestRepository;
  apply(kind: string, name: string, spec: object): ReturnType<TestServer["call"]>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  read(kind: string, name: string): Promise<any>;
  act(kind: string, name: string, action: string, body?: object): ReturnType<TestServer["call"]>;
  /** Waits until the repository is at this revision. */
  at(revision: string): Promise<void>;
}

export async function house(
  spec: object = {},
  files: Record<string, string> = {},
  serving: Parameters<typeof serveGit>[2] = {},
): Promise<House & { url: string }> {
  const server = await testServer({ settings: patientWithLinks });
  const repository = testRepository(keep);
  repository.git("-C", join(repository.root, "flows.git"), "config", "http.receivepack", "true");
  repository.push({ "web/compose.yaml": composeOf("web:1"), ...files });
  const { url } = await serveGit(repository.root, keep, serving);
  const at = "/organizations/acme";
  const made: House = {
    server,
    repository,
    apply: (kind, name, given) =>
      server.call("PUT", `${at}/${kind}/${name}`, {
        body: {
          apiVersion: "reeve/v1",
          kind: kinds[kind],
          metadata: { scope: "acme", name },
          spec: given,
        },
      }),
    read: async (kind, name) => (await server.call("GET", `${at}/${kind}/${name}`)).body,
    act: (kind, name, action, body = {}) =>
      server.call("POST", `${at}/${kind}/${name}/actions/${action}`, { body }),
    async at(revision) {
      await vi.waitFor(
        async () => expect((await made.read("repositories", "apps")).status.revision).toBe(revision),
        patience,
      );
    },
  };
  const answer = await made.apply("repositories", "apps", {
    git: { url, ref: "main" },
    every: "1h",
    ...spec,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { ...made, url };
}

export const fromFolder = (folder: string, more: object = {}) => ({
  source: { repository: "apps", folder, ...more },
  hosts: { names: ["one"] },
});

export const wordsOf = (
  resource: { status: { conditions?: { type: string; message: string }[] } },
  type: string,
) => resource.status.conditions?.find((one) => one.type === type)?.message ?? "";

export async function push(
  { repository, act, at }: House,
  files: Record<string, string | undefined>,
  more = {},
) {
  const revision = repository.push(files, more);
  expect((await act("repositories", "apps", "fetch")).status).toBe(200);
  await at(revision);
  return revision;
}
