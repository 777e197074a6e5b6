import type { Site } from "./site.ts";

const atOnce = 500;

export const projectOf = (organization: string, at: number, displayName = `Project ${at}`) => ({
  apiVersion: "reeve/v1",
  kind: "Project",
  metadata: { scope: organization, name: `p-${String(at).padStart(5, "0")}` },
  spec: { displayName },
});

/** An organization with so many projects. */
export async function fillOrganization(site: Site, name: string, projects: number): Promise<void> {
  await apply(site, [{ apiVersion: "reeve/v1", kind: "Organization", metadata: { name }, spec: {} }]);
  for (let from = 0; from < projects; from += atOnce) {
    const length = Math.min(atOnce, projects - from);
    await apply(
      site,
      Array.from({ length }, (_, at) => projectOf(name, from + at)),
    );
  }
}

export async function apply({ installation }: Site, resources: readonly object[]): Promise<void> {
  const { status, text, body } = await installation.api.call("POST", "/api/v1/apply", {
    body: { resources },
  });
  const refused = body?.results?.find((one: { outcome?: string }) => one.outcome === undefined);
  if (status !== 200 || refused !== undefined)
    throw new Error(`could not apply: ${refused === undefined ? text : JSON.stringify(refused)}`);
}
