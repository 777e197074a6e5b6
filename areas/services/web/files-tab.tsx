import { Stack, Text, Title } from "@mantine/core";
import { CodeView, PageLink, paths, useList, withQuery } from "@reeve/kit";
import { selfAndAncestors } from "@reeve/model";
import { composeFilesOf } from "../kinds/compose-file.ts";
import { Repository, type ServiceSpec } from "../kinds/index.ts";
import type { RepositoryResource } from "./repositories/repository-resource.ts";
import type { TabProps } from "./service-tabs.tsx";

/** What is put into its folder on each host: the Compose files first, in the order in which Compose reads them. */
export function FilesTab({ service: { metadata, spec } }: TabProps) {
  if (spec.source !== undefined) return <InRepository scope={metadata.scope} source={spec.source} />;
  const files = spec.files ?? {};
  const compose = composeFilesOf({ ...spec, files });
  const others = Object.keys(files).filter((path) => !compose.includes(path));
  return (
    <Stack>
      {[...compose, ...others.sort()].map((path) => (
        <section key={path}>
          <Title order={2} mb={4} className="mono">
            {path}{" "}
            {compose.includes(path) && (
              <Text span size="sm" c="dimmed">
                Compose reads it
              </Text>
            )}
          </Title>
          <CodeView text={files[path] ?? ""} label={path} maxHeight="480px" />
        </section>
      ))}
    </Stack>
  );
}

interface Source {
  readonly scope: string;
  readonly source: NonNullable<ServiceSpec["source"]>;
}

/** The nearest repository of that name, upwards: as the server finds it. */
function InRepository({ scope, source: { repository: name, folder } }: Source) {
  const { rows } = useList<RepositoryResource>(Repository, scope.split("/")[0] ?? "");
  const repository = selfAndAncestors(scope)
    .map((one) => rows.find(({ metadata }) => metadata.scope === one && metadata.name === name))
    .find((found) => found !== undefined);
  const path = [repository?.spec.git.path, folder].filter(Boolean).join("/");
  const where = path === "" ? "the top" : `the folder ${path}`;
  if (repository === undefined)
    return (
      <Text c="dimmed">
        Its files are in the repository {name}, which you cannot see or which is not there.
      </Text>
    );
  const to = paths.resource(Repository, repository.metadata.scope, name);
  return (
    <Text>
      Its files are in {where} of the repository{" "}
      <PageLink to={withQuery(to, { folder: path || undefined })}>{name}</PageLink>.
    </Text>
  );
}
