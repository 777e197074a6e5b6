/** One for each level at which a service can live. */
export const servicePaths = [
  ":organization",
  ":organization/projects/:project",
  ":organization/projects/:project/workspaces/:workspace",
].map((place) => `/organizations/${place}/services/:name`);

export function addressOf({
  name = "",
  organization,
  project,
  workspace,
}: Readonly<Record<string, string | undefined>>) {
  const scope = [organization, project, workspace].filter((part) => part !== undefined).join("/");
  return { kind: "Service", scope, name };
}
