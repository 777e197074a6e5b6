import { Text } from "@mantine/core";
import {
  Age,
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  paths,
  ReasonedButton,
  StateBadge,
  useCan,
  useGo,
  useList,
  useQuery,
  useScope,
} from "@reeve/kit";
import type { ResourceOf } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { missingKeys, type Secret } from "../kinds/index.ts";
import { NewSecret } from "./new-secret.tsx";

type SecretResource = ResourceOf<typeof Secret>;

const secrets = { name: "Secret", plural: "secrets" };

export default function SecretsPage() {
  const scope = useScope();
  const go = useGo();
  const [{ labels, make }, setQuery] = useQuery();
  const list = useList<SecretResource>(secrets, scope, { ...(labels !== undefined && { labels }) });
  const can = useCan({ verb: "create", kind: "Secret", scope });
  const button = (
    <ReasonedButton
      label="New secret"
      icon={<IconPlus size={14} />}
      variant="filled"
      why={can.reason}
      onClick={() => setQuery({ make: "yes" })}
    />
  );
  return (
    <>
      <PageHeader
        title="Secrets"
        lead="Values that nobody reads back: set here, referred to by name, and resolved only on the agent that needs them."
        actions={button}
      />
      <DataTable
        label="Secrets"
        list={list}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(secrets, metadata.scope, metadata.name)}
        empty={
          <EmptyState title="No secret yet" action={button} command="reeve secret set database password">
            A secret holds values by key. A workflow refers to one as{" "}
            <code>{"${{ secrets.database.password }}"}</code>, a connection by <code>secretRef</code>.
          </EmptyState>
        }
      />
      {make !== undefined && can.allowed !== false && (
        <NewSecret
          scope={scope}
          onClose={() => setQuery({ make: undefined })}
          onMade={(name) => go(paths.resource(secrets, scope, name))}
        />
      )}
    </>
  );
}

const columns: readonly Column<SecretResource>[] = [
  {
    key: "name",
    title: "Name",
    cell: ({ metadata }) => metadata.name,
    sort: ({ metadata }) => metadata.name,
  },
  { key: "state", title: "State", cell: (secret) => <SecretState secret={secret} /> },
  {
    key: "keys",
    title: "Keys",
    cell: ({ status }) => (
      <Text span size="sm" ff="monospace">
        {status.keys?.join(", ")}
      </Text>
    ),
  },
  {
    key: "set",
    title: "Set",
    wide: true,
    cell: ({ status }) => <Age at={status.versions?.[0]?.at} />,
    sort: ({ status }) => status.versions?.[0]?.at,
  },
  { key: "by", title: "By", wide: true, cell: ({ status }) => status.versions?.[0]?.by },
  { key: "scope", title: "Scope", wide: true, cell: ({ metadata }) => metadata.scope || "installation" },
  { key: "description", title: "Description", wide: true, cell: ({ spec }) => spec.description },
];

/** Whether it has what its spec speaks of. */
function SecretState({ secret }: { readonly secret: SecretResource }) {
  const missing = missingKeys(secret);
  if (missing.length > 0) return <StateBadge state="degraded" word={`${missing.join(", ")} missing`} />;
  const { version } = secret.status;
  return version === undefined ? (
    <StateBadge state="pending" word="not set" />
  ) : (
    <StateBadge state="ready" word={`version ${version}`} />
  );
}
