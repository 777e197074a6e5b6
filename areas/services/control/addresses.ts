/** One for each level at which a service, or a repository, can live. */
const pathsOf = (plural: string) =>
  [
    ":organization",
    ":organization/projects/:project",
    ":organization/projects/:project/workspaces/:workspace",
  ].map((place) => `/organizations/${place}/${plural}/:name`);

export const servicePaths = pathsOf("services");
export const repositoryPaths = pathsOf("repositories");

/** One for each level at which a host can live. */
export const hostPaths = [
  "",
  "organizations/:organization/",
  "organizations/:organization/projects/:project/",
].map((place) => `/${place}hosts/:name`);

export function addressOf(
  { name = "", organization, project, workspace }: Readonly<Record<string, string | undefined>>,
  kind = "Service",
) {
  const scope = [organization, project, workspace].filter((part) => part !== undefined).join("/");
  return { kind, scope, name };
}
