import type { Resource } from "@reeve/model";
import { registry } from "./areas.ts";
import type { TestServer } from "./testing.ts";
import { done, inScope } from "./testing-people.ts";

/** Something that is there, and whose address stands for the parameters of a route: `/runs/0198…` for `/runs/{id}`. */
export interface Thing {
  readonly form: string;
  readonly path: string;
}

export async function allResources({ call }: TestServer): Promise<Resource[]> {
  const lists = registry.kinds.map(async ({ plural }) => {
    const { body } = await done(call("GET", `/${plural}?deep=true&limit=1000`));
    return body.items as Resource[];
  });
  return (await Promise.all(lists)).flat();
}

export function pathOf({ kind, metadata: { scope, name } }: Resource): string {
  return `${inScope(scope)}/${registry.byName(kind).plural}/${name}`;
}

export async function allThings(server: TestServer): Promise<Thing[]> {
  const resources = await allResources(server);
  const kinds = resources.map((one): Thing => ({ form: formOf(one), path: pathOf(one) }));
  return [...kinds, ...partsOf(resources), ...(await allRuns(server)), ...(await othersOf(server))];
}

/** `/organizations/{organization}/services/{name}`, where one of acme is. */
function formOf({ kind, metadata: { scope } }: Resource): string {
  const names = ["organization", "project", "workspace"];
  const depth = scope === "" ? 0 : scope.split("/").length;
  const above = names.slice(0, depth).map((name) => `/${name}s/{${name}}`);
  const opened = registry.byName(kind).opensScope ? names[depth] : "name";
  return `${above.join("")}/${registry.byName(kind).plural}/{${opened}}`;
}

/** What a resource is asked for at another address than its own, or below it. */
function partsOf(resources: readonly Resource[]): Thing[] {
  return resources.flatMap((one): Thing[] => {
    const { scope, name } = one.metadata;
    const used = (kind: string) => ({
      form: "/usage/{kind}/{name}",
      path: `/usage/${kind}/${name}?scope=${scope}`,
    });
    const found = {
      form: `${formOf(one)}/compose-projects/{compose}`,
      path: `${pathOf(one)}/compose-projects/found`,
    };
    const parts: Record<string, readonly Thing[]> = {
      Host: [used("hosts"), found],
      IdentityProvider: [{ form: "/sign-in/oidc/{name}", path: `/sign-in/oidc/${name}` }],
      Service: [used("services")],
    };
    return [...(parts[one.kind] ?? [])];
  });
}

async function allRuns({ call }: TestServer): Promise<Thing[]> {
  const runs: { id: string }[] = (await done(call("GET", "/runs?limit=500"))).body.items;
  const things = runs.map(async ({ id }) => {
    const steps: { seq: number }[] = (await done(call("GET", `/runs/${id}/steps`))).body.items;
    return [
      { form: "/runs/{id}", path: `/runs/${id}` },
      ...steps.map(({ seq }) => ({ form: "/runs/{id}/steps/{seq}", path: `/runs/${id}/steps/${seq}` })),
    ];
  });
  return (await Promise.all(things)).flat();
}

async function othersOf({ call, database }: TestServer): Promise<Thing[]> {
  const listed = async (path: string): Promise<string[]> =>
    (await done(call("GET", path))).body.items.map(
      ({ id, name }: { id?: string; name: string }) => id ?? name,
    );
  // Whoever began one knows its id, and no list has it.
  const backfills = await database.query<{ id: string }>("select id from backfill");
  const words = {
    "/recordings/{id}": await listed("/recordings"),
    "/service-templates/{template}": await listed("/service-templates"),
    "/backfills/{id}": backfills.map(({ id }) => id),
    "/usage/{kind}": ["hosts", "services"],
  };
  return Object.entries(words).flatMap(([form, all]) =>
    all.map((word) => ({ form, path: form.replace(/\{\w+\}/, word) })),
  );
}
